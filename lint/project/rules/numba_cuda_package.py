"""AMD6111: numba-cuda."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import packages
from ..file import ProjectFile

NAMES = r"numba-cuda"


@rule("AMD6111", triggers={"numba", "numba_cuda"})
def numba_cuda_package(file: ProjectFile) -> Iterator[Finding]:
    """Report it."""
    for requirement in packages.asked(file, NAMES):
        yield Finding(
            "AMD6111",
            requirement.start,
            requirement.end,
            detail="drives NVIDIA GPUs only",
            fix=Fix("display", "on AMD install numba-hip", paste="numba-hip"),
        )
