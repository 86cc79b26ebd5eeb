"""Files that come in a pair, one for NVIDIA and one for AMD."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ..repo import Repo
from .kinds import kind_of

_AMD = re.compile(r"(?:^|[-_./])(?:rocm[\d.]*|amd|hip|amdgpu|mi\d{3}x?|gfx\w+)(?=$|[-_./])", re.IGNORECASE)
_VENDOR = re.compile(
    r"(?:^|(?<=/)|[-_.])(?:cuda[\d.]*|cu\d{2,3}|nvidia|nv|gpu|rocm[\d.]*|amd|hip|amdgpu|cpu)(?=$|[-_./])",
    re.IGNORECASE,
)
_NVIDIA = re.compile(r"(?:^|[-_.])(?:cuda[\d.]*|cu\d{2,3}|nvidia|nv|gpu)(?=$|[-_.])", re.IGNORECASE)
_WORKFLOWS = ".github/workflows"


@dataclass(frozen=True, slots=True)
class _ForAmd:
    """What the names say about the files for AMD.

    ``twins`` are their names without the vendor; ``folders`` the neutral paths of folders that are called
    after AMD; ``images`` the folders of Dockerfiles for AMD; ``workflows`` whether a workflow is for AMD.
    """

    twins: frozenset[str]
    folders: frozenset[str]
    images: frozenset[PurePosixPath]
    workflows: frozenset[PurePosixPath]


def for_one_vendor(path: Path, repo: Repo) -> bool:
    """Whether the file is the NVIDIA or the AMD half of something that the repository has for both.

    That is so when its own name says AMD, when a file or folder of the same name but for AMD stands in
    the repository, or, for images and workflows, when another one near by is for AMD.
    """
    own = repo.relative(path)
    if _is_amd(own):
        return True
    if _in_pair(own, repo.memo("project files for AMD", lambda: _for_amd(repo, repo.files))):
        return True
    if path in repo.texts:
        return False
    around = repo.memo(
        ("project files for AMD around", path.parent), lambda: _for_amd(repo, _around(path.parent))
    )
    return _in_pair(own, around)


def _in_pair(own: str, amd: _ForAmd) -> bool:
    if _neutral(own) in amd.twins:
        return True
    parts = own.split("/")
    for i, part in enumerate(parts[:-1]):
        if _NVIDIA.search(part) and _neutral("/".join(parts[: i + 1])) in amd.folders:
            return True
    here = PurePosixPath(own).parent
    if kind_of(own) == "dockerfile":
        return any(here == other or other in here.parents or here in other.parents for other in amd.images)
    return here.as_posix().endswith(_WORKFLOWS) and here in amd.workflows


def _neutral(path: str) -> str:
    """The path without the words that name a vendor, and without stray separators."""
    plain = _VENDOR.sub("", path.lower())
    return re.sub(r"(?:^|(?<=/))[-_.]+|[-_.]+(?=/|\.\w+$)", "", plain).strip("-_./")


def _is_amd(relative: str) -> bool:
    return _AMD.search(relative) is not None


def _for_amd(repo: Repo, paths: Iterable[Path]) -> _ForAmd:
    names = [name for name in map(repo.relative, paths) if _is_amd(name)]
    folders = set()
    for name in names:
        parts = name.split("/")
        folders |= {"/".join(parts[: i + 1]) for i, part in enumerate(parts[:-1]) if _is_amd(part)}
    return _ForAmd(
        frozenset(map(_neutral, names)),
        frozenset(map(_neutral, folders)),
        frozenset(_image_folder(name) for name in names if kind_of(name) == "dockerfile"),
        frozenset(PurePosixPath(name).parent for name in names if f"{_WORKFLOWS}/" in name),
    )


def _image_folder(name: str) -> PurePosixPath:
    """The folder that a Dockerfile for AMD speaks for: docker/ for docker/rocm/Dockerfile."""
    folder = PurePosixPath(name).parent
    return folder.parent if _is_amd(folder.name) else folder


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
