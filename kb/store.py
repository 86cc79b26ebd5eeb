"""Load, validate and cache the entries.

The YAML files are parsed once; the result lies as one msgpack file in the user's cache folder, named
after the state of all entry files, so a warm start parses no YAML. Without a writable cache folder
everything works, only slower.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import msgspec

from . import model
from .compiled import compiled, state
from .model import AREAS, Entry

BUILTIN = Path(__file__).parent / "entries"


@dataclass(frozen=True, order=True)
class Problem:
    """One thing wrong with an entry file. ``line`` is 1-based."""

    path: str
    line: int
    field: str
    message: str

    def __str__(self) -> str:
        where = f"{self.path}:{self.line}"
        return f"{where}: {self.field}: {self.message}" if self.field else f"{where}: {self.message}"


class KbError(Exception):
    """The entries cannot be used; ``problems`` lists all that is wrong, in file order."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = sorted(problems)
        super().__init__("\n".join(map(str, self.problems)))


class KnowledgeBase:
    """All entries, in code order."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = sorted(entries, key=lambda e: e.code)

    @cached_property
    def by_code(self) -> dict[str, Entry]:
        return {e.code: e for e in self.entries}

    @cached_property
    def by_slug(self) -> dict[str, Entry]:
        return {e.slug: e for e in self.entries}

    def find(self, name: str) -> Entry | None:
        """The entry with this code or slug, in any letter case."""
        return self.by_code.get(name.upper()) or self.by_slug.get(name.lower())

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)


def entry_files(folder: Path) -> list[Path]:
    """All entry files below a folder, sorted."""
    return sorted(p for pattern in ("*.yaml", "*.yml") for p in folder.rglob(pattern))


def load(extra: Sequence[Path] = (), *, builtin: Path = BUILTIN, cache: bool = True) -> KnowledgeBase:
    """The built-in entries and those of the ``extra`` folders.

    Raises KbError when an entry is wrong or two entries share a code or a slug.
    """
    folders = (builtin, *extra)

    def parsed() -> list[Entry]:
        entries, problems = parse(folders)
        if problems:
            raise KbError(problems)
        return entries

    if not cache:
        return KnowledgeBase(parsed())
    files = [Path(model.__file__), Path(__file__), *(f for folder in folders for f in entry_files(folder))]
    return KnowledgeBase(compiled("entries", state(files), list[Entry], parsed))


def parse(folders: Sequence[Path]) -> tuple[list[Entry], list[Problem]]:
    """Parse and validate every entry file of the folders; never raises for a bad file."""
    entries: list[Entry] = []
    problems: list[Problem] = []
    seen: dict[str, Path] = {}
    for folder in folders:
        for file in entry_files(folder):
            entry, wrong = parse_file(file, user=folder != BUILTIN)
            problems += wrong
            if entry is None:
                continue
            for name, kind in ((entry.code, "code"), (entry.slug, "slug")):
                if name in seen:
                    problems.append(Problem(str(file), 1, kind, f"{name} is already used by {seen[name]}"))
                seen.setdefault(name, file)
            entries.append(entry)
    return entries, problems


def dangling(entries: Sequence[Entry], folders: Sequence[Path]) -> list[Problem]:
    """``related`` names that no entry bears. Part of the gate, not of loading: a dead link harms no answer."""
    known = {e.slug for e in entries}
    files = {f.stem: f for folder in folders for f in entry_files(folder)}
    return [
        Problem(
            str(file), line_of(file.read_text("utf-8"), "related"), "related", f"no entry is called {name!r}"
        )
        for entry in entries
        if (file := files.get(entry.slug)) is not None
        for name in entry.related
        if name not in known
    ]


def parse_file(file: Path, *, user: bool = False) -> tuple[Entry | None, list[Problem]]:
    """One entry file as an Entry, or what is wrong with it.

    Entries of the built-in tree take their area from their folder; user entries may lie anywhere and
    take it from the thousand of their code.
    """
    import yaml

    where = str(file)
    try:
        text = file.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as e:
        return None, [Problem(where, 1, "", f"cannot be read: {e}")]
    try:
        raw = read_yaml(text)
    except yaml.MarkedYAMLError as e:
        line = e.problem_mark.line + 1 if e.problem_mark else 1
        return None, [Problem(where, line, "", f"not valid YAML: {e.problem or e.context}")]
    except yaml.YAMLError as e:
        return None, [Problem(where, 1, "", f"not valid YAML: {e}")]
    if not isinstance(raw, dict):
        return None, [Problem(where, 1, "", "an entry is a mapping of fields")]
    for name in ("slug", "area"):
        if name in raw:
            return None, [
                Problem(where, line_of(text, name), name, "is taken from the file's place, remove it")
            ]
    area = file.parent.name
    if user and area not in AREAS:
        digit = str(raw.get("code", ""))[-4:-3]
        area = list(AREAS)[int(digit) - 1] if digit.isdigit() else next(iter(AREAS))
    elif area not in AREAS:
        return None, [Problem(where, 1, "", f"folder {area!r} is no area; areas are {', '.join(AREAS)}")]
    try:
        entry = msgspec.convert({**raw, "slug": file.stem, "area": area}, Entry)
    except msgspec.ValidationError as e:
        message, _, path = str(e).partition(" - at `$")
        field = path.rstrip("`").lstrip(".")
        return None, [Problem(where, line_of(text, field), field or "", message)]
    problems = [Problem(where, line_of(text, field), field, message) for field, message in model.check(entry)]
    return entry, problems


def read_yaml(text: str) -> Any:
    """One YAML document, read by PyYAML's fast safe loader; duplicate keys are errors."""
    import yaml

    return yaml.load(text, _strict_loader())


@lru_cache(maxsize=1)
def _strict_loader() -> Any:
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class StrictLoader(base):  # type: ignore[misc]
        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            keys: set[str] = set()
            for key, _ in node.value:
                if key.value in keys:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"the field {key.value!r} is given twice", key.start_mark
                    )
                keys.add(key.value)
            return super().construct_mapping(node, deep)

    return StrictLoader


_PATH_PART = re.compile(r"\.?([A-Za-z_][\w-]*)|\[(\d+|\.\.\.)\]")


def line_of(text: str, field: str) -> int:
    """1-based line of a field path such as ``fixes[0].steps[1].run``, or of its nearest parent."""
    import yaml

    try:
        node: Any = yaml.compose(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError:
        return 1
    line = 1
    for name, index in _PATH_PART.findall(field):
        if node is None:
            break
        if name and isinstance(node, yaml.MappingNode):
            found = next(((k, v) for k, v in node.value if k.value == name), None)
            if found is None:
                break
            line, node = found[0].start_mark.line + 1, found[1]
        elif index.isdigit() and isinstance(node, yaml.SequenceNode) and int(index) < len(node.value):
            node = node.value[int(index)]
            line = node.start_mark.line + 1
        else:
            break
    return line


def json_schema() -> dict[str, Any]:
    """JSON Schema of an entry file, for editors."""
    schema: dict[str, Any] = msgspec.json.schema(Entry)
    fields = schema["$defs"]["Entry"]["properties"]
    for name in ("slug", "area"):
        fields.pop(name)
    return schema
