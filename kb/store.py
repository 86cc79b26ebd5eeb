"""Load, validate and cache the entries.

The YAML files are parsed once; the result lies as one msgpack file in the user's cache folder, named
after the state of all entry files, so a warm start parses no YAML, and an entry is decoded when it is
asked for: a run needs a few of them. Without a writable cache folder everything works, only slower.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import msgspec

from . import model
from .compiled import compiled, state, tree_state
from .model import AREAS, Entry

BUILTIN = Path(__file__).parent / "entries"
ENDINGS = (".yaml", ".yml")


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


class Head(msgspec.Struct, array_like=True, frozen=True):
    """What is asked of every entry at every start, and the entry itself, still encoded."""

    code: str
    slug: str
    has_patterns: bool
    literals: tuple[tuple[str, ...], ...]
    """For each signature of an entry that is not retired: literals of which one stands in every match."""
    encoded: msgspec.Raw


def head(entry: Entry) -> Head:
    """The head of an entry."""
    from . import signature  # only when a copy is made

    retired = entry.status == "retired"
    return Head(
        entry.code,
        entry.slug,
        entry.status == "active" and bool(entry.patterns),
        () if retired else tuple(map(signature.literals, entry.signatures)),
        msgspec.Raw(msgspec.msgpack.encode(entry)),
    )


def decode(encoded: msgspec.Raw) -> Entry:
    """The entry of a head."""
    return msgspec.msgpack.decode(encoded, type=Entry)


class _Entries(Mapping[str, Entry]):
    """Code to entry, each decoded when it is first asked for."""

    def __init__(self, heads: Sequence[Head], decoded: Mapping[str, Entry]) -> None:
        self._encoded = {h.code: h.encoded for h in heads}
        self._decoded = dict(decoded)

    def __getitem__(self, code: str) -> Entry:
        if code not in self._decoded:
            self._decoded[code] = decode(self._encoded[code])
        return self._decoded[code]

    def __iter__(self) -> Iterator[str]:
        return iter(self._encoded)

    def __len__(self) -> int:
        return len(self._encoded)

    def __contains__(self, code: object) -> bool:
        return code in self._encoded


class KnowledgeBase:
    """All entries, in code order. ``state`` changes whenever one of their files does."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        known = {e.code: e for e in entries}
        self._keep(map(head, known.values()), "", known)

    @classmethod
    def of_heads(cls, heads: Iterable[Head], state: str) -> KnowledgeBase:
        """The knowledge base of these heads, no entry of which is decoded yet."""
        base = cls.__new__(cls)
        base._keep(heads, state, {})
        return base

    def _keep(self, heads: Iterable[Head], state: str, decoded: Mapping[str, Entry]) -> None:
        self.state = state
        self.heads = sorted(heads, key=lambda h: h.code)
        self.by_code: Mapping[str, Entry] = _Entries(self.heads, decoded)

    @cached_property
    def _codes(self) -> dict[str, str]:
        return {h.slug: h.code for h in self.heads}

    def find(self, name: str) -> Entry | None:
        """The entry with this code or slug, in any letter case."""
        return self.by_code.get(name.upper()) or self.by_code.get(self._codes.get(name.lower(), ""))

    @property
    def entries(self) -> list[Entry]:
        """Every entry, decoded."""
        return list(self.by_code.values())

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.by_code.values())

    def __len__(self) -> int:
        return len(self.heads)


def entry_files(folder: Path) -> list[Path]:
    """All entry files below a folder, sorted."""
    return sorted(p for ending in ENDINGS for p in folder.rglob(f"*{ending}"))


def load(extra: Sequence[Path] = (), *, builtin: Path = BUILTIN, cache: bool = True) -> KnowledgeBase:
    """The built-in entries and those of the ``extra`` folders.

    Raises KbError when an entry is wrong or two entries share a code or a slug.
    """
    folders = (builtin, *extra)

    def parsed() -> list[Entry]:
        entries, problems = parse(folders, trust=True)
        if problems:
            raise KbError(problems)
        return entries

    if not cache:
        return KnowledgeBase(parsed())
    here = Path(__file__)
    code = state(here.with_name(name) for name in ("model.py", "signature.py", here.name))
    now = "\n".join((code, *(tree_state(folder, ENDINGS) for folder in folders)))
    heads = compiled("entries", now, list[Head], lambda: [head(e) for e in parsed()])
    return KnowledgeBase.of_heads(heads, now)


def parse(folders: Sequence[Path], *, trust: bool = False) -> tuple[list[Entry], list[Problem]]:
    """Parse and validate every entry file of the folders; never raises for a bad file.

    With ``trust`` the built-in entries are only compared with the types of the model: they have been
    through the gate before they were released.
    """
    entries: list[Entry] = []
    problems: list[Problem] = []
    seen: dict[str, Path] = {}
    for folder in folders:
        user = folder != BUILTIN
        for file in entry_files(folder):
            entry, wrong = parse_file(file, user=user, whole=user or not trust)
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


def parse_file(file: Path, *, user: bool = False, whole: bool = True) -> tuple[Entry | None, list[Problem]]:
    """One entry file as an Entry, or what is wrong with it: by the types, and by ``model.check`` if ``whole``.

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
    if not whole:
        return entry, []
    return entry, [Problem(where, line_of(text, name), name, message) for name, message in model.check(entry)]


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
