"""Package requirements, wherever a project writes them down."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from .shell import Command, Word

Form: TypeAlias = Literal["line", "toml", "table", "conda", "conda-pip", "command", "ini"]

_REQUIREMENT = re.compile(
    r"\s*(?P<name>[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)\s*(?:\[(?P<extras>[^\]]*)\])?\s*"
    r"(?:@\s*(?P<url>[^\s;]+(?:\s+(?!;)[^\s;]+)*)|\(?(?P<spec>(?:[<>=!~]=?=?\s*[^\s;,)]+\s*,?\s*)*)\)?)\s*"
    r"(?:;\s*(?P<marker>.*))?$"
)
_CONDA = re.compile(r"(?:[\w./-]+::)?(?P<name>[\w.-]+?)\s*(?P<spec>(?:[<>=!~]|\s).*)?$")
_WHEEL = re.compile(r"(?:^|/)([A-Za-z0-9][\w.]*?)-(\d[\w.!]*(?:(?:\+|%2B)[\w.]+)?)-[\w.]+-[\w.]+-[\w.]+\.whl")
_REPOSITORY = re.compile(r"^git\+|\.git(?:@|#|$)|^https?://github\.com/[^/]+/[^/]+(?:/archive|/tarball|/?$)")


def normalise(name: str) -> str:
    """A distribution name as PEP 503 compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


@dataclass(frozen=True, slots=True)
class Requirement:
    """One package that is asked for.

    ``start``/``end`` span the requirement without its marker; ``name_end`` is where the name (and extras) end,
    so that what follows is the version range. ``line`` spans the whole line or list item, ready to be removed.
    """

    name: str
    extras: tuple[str, ...]
    spec: str
    url: str
    marker: str
    start: int
    end: int
    name_start: int
    name_end: int
    form: Form
    group: str = ""
    guarded: bool = False

    def allows(self, versions: Iterable[str]) -> bool:
        """Whether the range admits one of these versions; an unreadable range admits all."""
        if not self.spec:
            return True
        from packaging.specifiers import InvalidSpecifier, SpecifierSet

        try:
            wanted = SpecifierSet(_python_spec(self.spec))
        except InvalidSpecifier:
            return True
        return any(wanted.contains(v, prereleases=True) for v in versions)

    @property
    def pin(self) -> str | None:
        """The exact version asked for, with its local part."""
        found = re.match(r"\s*={1,3}\s*([^\s,;*]+)\s*$", self.spec)
        return found[1] if found else None


def _python_spec(spec: str) -> str:
    """A conda or poetry range in the notation of PEP 440, as far as it has one."""
    spec = spec.strip().split()[0] if " " in spec.strip() and "," not in spec else spec.strip()
    if re.match(r"=[^=]", spec):
        version = spec[1:].split("=")[0].rstrip("*").rstrip(".")
        return f"=={version}.*"
    if spec.startswith("^"):
        return f">={spec[1:]}"
    if re.match(r"\d", spec):
        return f"=={spec}"
    return spec


def from_text(
    text: str, start: int, end: int, form: Form, *, group: str = "", guarded: bool = False
) -> Requirement | None:
    """The requirement written at ``text[start:end]``."""
    piece = text[start:end]
    lead = len(piece) - len(piece.lstrip())
    piece = piece.strip()
    if not piece or piece.startswith(("-", "#", ".", "/", "$", "{", "<")):
        return None
    start += lead
    wheel = _WHEEL.search(piece)
    if wheel and "@" not in piece.split("://")[0]:
        name = normalise(wheel[1])
        return Requirement(
            name, (), "", piece, "", start, start + len(piece), start, start, form, group, guarded
        )
    if _REPOSITORY.search(piece) and "@" not in piece.split("://")[0]:
        egg = re.search(r"#egg=([\w.-]+)", piece)
        name = egg[1] if egg else re.split(r"/", re.split(r"\.git|@|#", piece.partition("://")[2])[0])[-1]
        return Requirement(
            normalise(name), (), "", piece, "", start, start + len(piece), start, start, form, group, guarded
        )
    if form == "conda":
        match = _CONDA.match(piece)
        if not match:
            return None
        spec = (match["spec"] or "").strip()
        return Requirement(
            normalise(match["name"]), (), spec, "", "", start, start + len(piece), start + match.start("name"),
            start + match.end("name"), form, group, guarded,
        )  # fmt: skip
    match = _REQUIREMENT.match(piece)
    if not match:
        return None
    marker = (match["marker"] or "").strip()
    stop = match.start("marker") - 1 if match["marker"] else len(piece)
    stop = len(piece[:stop].rstrip().rstrip(";").rstrip())
    name_end = match.end("extras") + 1 if match["extras"] is not None else match.end("name")
    return Requirement(
        normalise(match["name"]),
        tuple(normalise(e.strip()) for e in (match["extras"] or "").split(",") if e.strip()),
        (match["spec"] or "").strip(),
        (match["url"] or "").strip(),
        marker,
        start,
        start + stop,
        start + match.start("name"),
        start + name_end,
        form,
        group,
        guarded or _elsewhere(marker),
    )


def _elsewhere(marker: str) -> bool:
    """Whether a marker leaves out every machine on which ROCm's PyTorch runs (Linux on x86-64)."""
    if not marker:
        return False
    from packaging.markers import InvalidMarker, Marker, UndefinedEnvironmentName

    try:
        wanted = Marker(marker)
        return not any(
            wanted.evaluate(
                {
                    "sys_platform": "linux", "platform_system": "Linux", "os_name": "posix", "platform_machine": "x86_64",
                    "python_version": version, "python_full_version": f"{version}.0", "extra": "",
                    "implementation_name": "cpython", "platform_python_implementation": "CPython",
                }
            )
            for version in ("3.9", "3.10", "3.11", "3.12", "3.13", "3.14")
        )  # fmt: skip
    except (InvalidMarker, UndefinedEnvironmentName):
        return True


def lines(text: str, code: str) -> Iterator[tuple[int, int]]:
    """Spans of the requirement lines of a requirements file (options and comments left out)."""
    at = 0
    for line in code.splitlines(keepends=True):
        body = line.rstrip("\r\n")
        stripped = body.split(" --")[0].rstrip().rstrip("\\").rstrip()
        if stripped.strip() and not stripped.lstrip().startswith("-"):
            yield at, at + len(stripped)
        at += len(line)


# Options of pip, uv and conda that take a value of their own.
_VALUED = frozenset(
    [
        "-r",
        "--requirement",
        "-c",
        "--constraint",
        "-e",
        "--editable",
        "-i",
        "--index-url",
        "--extra-index-url",
        "-f",
        "--find-links",
        "-t",
        "--target",
        "--prefix",
        "--root",
        "--platform",
        "--python-version",
        "--python",
        "--trusted-host",
        "--no-binary",
        "--only-binary",
        "--progress-bar",
        "--cache-dir",
        "--index",
        "--default-index",
        "--torch-backend",
        "--index-strategy",
        "--prerelease",
        "--timeout",
        "--retries",
        "--src",
        "--config-settings",
        "-C",
        "--global-option",
        "--install-option",
        "--proxy",
        "--upgrade-strategy",
        "--abi",
        "--implementation",
        "-n",
        "--name",
        "-p",
        "--channel",
        "--file",
        "--group",
        "--extra",
        "--override",
        "--exclude-newer",
        "--keyring-provider",
        "--resolution",
        "--no-build-isolation-package",
        "--only-group",
        "--package",
        "--reinstall-package",
        "-P",
        "--upgrade-package",
        "--source",
        "--log",
    ]
)


def pip_words(command: Command) -> tuple[Literal["pip", "conda"], tuple[Word, ...]] | None:
    """The words after ``pip install`` (uv, poetry, conda and their like); None for other commands."""
    words = command.words[command.name_index :]
    values = [w.value for w in words]
    name = command.name
    if re.fullmatch(r"pip[\d.]*|\$\{?\w*PIP\w*\}?", name) and "install" in values:
        return "pip", words[values.index("install") + 1 :]
    if (re.fullmatch(r"python[\d.]*|\$\{?\w*PYTHON\w*\}?|uv|uvx", name)) and "pip" in values[:6]:
        at = values.index("pip")
        if "install" in values[at:]:
            return "pip", words[values.index("install", at) + 1 :]
        return None
    if name in ("uv", "poetry", "pdm", "pixi", "rye") and len(values) > 1 and values[1] == "add":
        return "pip", words[2:]
    if name in ("conda", "mamba", "micromamba") and ("install" in values or "create" in values):
        at = values.index("install") if "install" in values else values.index("create")
        return "conda", words[at + 1 :]
    return None


def from_command(text: str, command: Command) -> Iterator[Requirement]:
    """Packages that an install command asks for."""
    found = pip_words(command)
    if not found:
        return
    tool, words = found
    skip = False
    for word in words:
        value = word.value
        if skip:
            skip = False
            continue
        if value.startswith("-"):
            skip = value in _VALUED or (tool == "conda" and value in ("-c", "--channel"))
            continue
        quote = 1 if word.raw[:1] in "\"'" and word.raw[-1:] == word.raw[:1] and len(word.raw) > 1 else 0
        requirement = from_text(
            text,
            word.start + quote,
            word.end - quote,
            "conda" if tool == "conda" else "command",
            guarded=command.guarded,
        )
        if requirement is not None:
            yield requirement
