"""Files that come in a pair, one for NVIDIA and one for AMD."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..repo import Repo

_AMD = re.compile(r"(?:^|[-_./])(?:rocm[\d.]*|amd|hip|amdgpu|mi\d{3}x?|gfx\w+)(?=$|[-_./])", re.IGNORECASE)
_VENDOR = re.compile(
    r"(?:^|(?<=/)|[-_.])(?:cuda[\d.]*|cu\d{2,3}|nvidia|nv|gpu|rocm[\d.]*|amd|hip|amdgpu|cpu)(?=$|[-_./])",
    re.IGNORECASE,
)


def _neutral(path: str) -> str:
    """The path without the words that name a vendor, and without stray separators."""
    plain = _VENDOR.sub("", path.lower())
    return re.sub(r"(?:^|(?<=/))[-_.]+|[-_.]+(?=/|\.\w+$)", "", plain).strip("-_./")


def _is_amd(relative: str) -> bool:
    return _AMD.search(relative) is not None


def for_one_vendor(path: Path, repo: Repo) -> bool:
    """Whether the file's name says AMD, or a file of the same name but for AMD stands in the repository."""
    own = repo.relative(path)
    if _is_amd(own):
        return True
    wanted = _neutral(own)
    twins = repo.memo("project files for AMD", lambda: _amd_names(repo, repo.files))
    if wanted in twins:
        return True
    if path in repo.texts:
        return False
    around = repo.memo(
        ("project files for AMD around", path.parent), lambda: _amd_names(repo, _around(path.parent))
    )
    return wanted in around


def _amd_names(repo: Repo, paths: Iterable[Path]) -> frozenset[str]:
    """The neutral names of all files whose name says AMD."""
    return frozenset(_neutral(name) for name in map(repo.relative, paths) if _is_amd(name))


def _around(folder: Path) -> Iterator[Path]:
    """Files of a folder and its parent, and of their sub-folders for AMD, whether the run reads them or not."""
    for here in (folder, folder.parent):
        try:
            for file in here.iterdir():
                yield file
                if _is_amd(file.name) and file.is_dir():
                    yield from file.iterdir()
        except OSError:
            continue
