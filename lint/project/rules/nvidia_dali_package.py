"""AMD6116: NVIDIA DALI."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from .. import packages
from ..file import ProjectFile

NAMES = r"nvidia-dali(?:-cuda\d+|-weekly-cuda\d+|-nightly-cuda\d+)?"


@rule("AMD6116", triggers={"nvidia", "nvidia_dali_cuda120"})
def nvidia_dali_package(file: ProjectFile) -> Iterator[Finding]:
    """Report it."""
    for requirement in packages.asked(file, NAMES):
        yield Finding(
            "AMD6116", requirement.start, requirement.end, detail="decodes with CUDA and nvJPEG only"
        )
