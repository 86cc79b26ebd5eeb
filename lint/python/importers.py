"""Which files of the repository import a file: read from their import lines, without parsing them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..repo import Repo
    from .module import Module

_IMPORT = re.compile(
    rb"^([ \t]*)(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)|import[ \t]+([^\n]*))", re.MULTILINE
)
# Names that a repository gives to the question; torch.version.hip alone may come from one rewritten line.
_ASKS_ROCM = re.compile(rb"\bis_(?:rocm|hip)\b|\b_?IS_(?:ROCM|HIP)\b")
_TEST = re.compile(r"(?:^|/)tests?/|(?:^|/)(?:test_[^/]*|[^/]*_test|conftest)\.py$")


def importers(module: Module) -> list[tuple[Module, str, bool]]:
    """The files that import this one, tests left out: file, dotted name as it is written there, whether the
    statement stands inside another one."""
    repo, path = module.repo, module.source.path
    stem = path.parent.name if path.stem == "__init__" else path.stem
    lines = _lines(repo)
    word = re.compile(rb"(?<![A-Za-z0-9_])" + stem.encode() + rb"(?![A-Za-z0-9_])")
    found = []
    for file, text in lines:
        if stem.encode() not in text or file == path or not word.search(text):
            continue
        other = module.resolver.file_module(file)
        if other is None:
            continue
        for dotted, indented in _names(text):
            if dotted.rpartition(".")[2] == stem and other.resolver.file_of(dotted) == path:
                found.append((other, dotted, indented))
    return found


def imported_by_name(module: Module, name: str) -> bool:
    """Whether another file of the repository imports something of this name."""
    lines = _lines(module.repo)
    word = re.compile(rb"(?<![A-Za-z0-9_])" + name.encode() + rb"(?![A-Za-z0-9_])")
    return any(name.encode() in t and word.search(t) and f != module.source.path for f, t in lines)


def serves_rocm(repo: Repo) -> bool:
    """Whether the repository has code for ROCm: then it also chooses its back ends by vendor."""
    first = _first(repo)
    return first.memo(
        "serves ROCm", lambda: any(_ASKS_ROCM.search(first.read(f)) for f in first.python_files)
    )


def _first(repo: Repo) -> Repo:
    """The repository as it was before fixes: they rewrite no import of a module of its own."""
    while repo.before is not None:
        repo = repo.before[0]
    return repo


def _lines(repo: Repo) -> list[tuple[Path, bytes]]:
    """The import statements of every file that is no test."""
    first = _first(repo)
    return first.memo("import lines", lambda: _read_lines(first))


def _read_lines(repo: Repo) -> list[tuple[Path, bytes]]:
    files = [f for f in repo.python_files if not _TEST.search(repo.relative(f))]
    return [(f, _statements(repo.read(f))) for f in files]


def _statements(data: bytes) -> bytes:
    found = []
    at = data.find(b"import")
    while at >= 0:  # from word to word: a search for lines would look at every line of every file
        match = _IMPORT.match(data, data.rfind(b"\n", 0, at) + 1)
        if match:
            found.append(match[0])
        at = data.find(b"import", max(at + 6, match.end() if match else 0))
    return b"\n".join(found)


def _names(text: bytes) -> list[tuple[str, bool]]:
    """Dotted names of the modules that these statements may import, and whether each is indented."""
    found = []
    for match in _IMPORT.finditer(text):
        indented = bool(match[1])
        listed = (match[3] or match[4]).partition(b"#")[0].strip(b"()\\ \t\r").decode("utf-8", "replace")
        names = [n.split(" as ")[0].strip() for n in listed.split(",")]
        owner = (match[2] or b"").decode()
        if owner:
            found.append((owner, indented))
            joint = "" if owner.endswith(".") else "."
            names = [f"{owner}{joint}{n}" for n in names]
        found += [(n, indented) for n in names if n]
    return found
