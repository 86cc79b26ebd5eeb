"""Files that come in a pair, one for NVIDIA and one for AMD."""

from __future__ import annotations

import re
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
    own = _relative(path, repo)
    if _is_amd(own):
        return True
    wanted = _neutral(own)
    repo.asked = True
    candidates = [_relative(f, repo) for f in repo.files]
    if path not in repo.texts:
        for folder in (path.parent, path.parent.parent):
            try:
                candidates += [_relative(f, repo) for f in folder.iterdir()]
                candidates += [
                    _relative(f, repo)
                    for d in folder.iterdir()
                    if d.is_dir() and _is_amd(d.name)
                    for f in d.iterdir()
                ]
            except OSError:
                continue
    return any(c != own and _is_amd(c) and _neutral(c) == wanted for c in candidates)


def _relative(path: Path, repo: Repo) -> str:
    try:
        return path.absolute().relative_to(repo.root.absolute()).as_posix()
    except ValueError:
        return path.as_posix()
