"""Which requirements a package rule may report."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .file import ProjectFile
from .requirements import Requirement

# PyTorch minor version: the newest stable ROCm wheel index that has it.
_TORCH_INDEX = {
    "2.0": "rocm5.4.2", "2.1": "rocm5.6", "2.2": "rocm5.7", "2.3": "rocm6.0", "2.4": "rocm6.1", "2.5": "rocm6.2",
    "2.6": "rocm6.2.4", "2.7": "rocm6.3", "2.8": "rocm6.4", "2.9": "rocm6.4", "2.10": "rocm7.1", "2.11": "rocm7.2",
    "2.12": "rocm7.2", "2.13": "rocm7.2", "2.14": "rocm7.2",
}  # fmt: skip
NEWEST_INDEX = "rocm7.2"


def asked(file: ProjectFile, names: str) -> Iterator[Requirement]:
    """Requirements whose whole name matches the pattern, outside guards and one-vendor files."""
    if file.for_both:
        return
    pattern = re.compile(names)
    for requirement in file.requirements:
        if not requirement.guarded and pattern.fullmatch(requirement.name):
            yield requirement


def torch_version(file: ProjectFile) -> str | None:
    """The minor version of PyTorch that the file pins (``2.4``), if it pins one."""
    for requirement in file.requirements:
        if requirement.name in ("torch", "pytorch"):
            found = re.match(r"[=~]{1,3}\s*(\d+\.\d+)", requirement.spec)
            if found:
                return found[1]
    return None


def rocm_index(file: ProjectFile) -> str:
    """The ROCm wheel index for the PyTorch that the file asks for, e.g. ``rocm7.2``."""
    asked_rocm = file.settings.rocm
    if asked_rocm:
        from ...kb.facts import wheel_index

        url = wheel_index(asked_rocm)
        if url:
            return url.rsplit("/", 1)[-1]
    return _TORCH_INDEX.get(torch_version(file) or "", NEWEST_INDEX)
