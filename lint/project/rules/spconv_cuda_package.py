"""AMD6108: spconv wheels that are bound to CUDA."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import edits, packages
from ..file import ProjectFile

NAMES = r"spconv(?:-cu\d+)?"


@rule("AMD6108", triggers={"spconv", "spconv_cu120"})
def spconv_cuda_package(file: ProjectFile) -> Iterator[Finding]:
    """Report them; spconv-triton has the same import name."""
    for requirement in packages.asked(file, NAMES):
        fix = Fix(
            "unsafe",
            "ask for the Triton implementation",
            (edits.replace(requirement, "spconv-triton"),),
            reason="NVIDIA machines would then run the Triton kernels too",
        )
        yield Finding(
            "AMD6108",
            requirement.start,
            requirement.end,
            detail=f"{requirement.name} holds CUDA kernels",
            fix=fix,
        )
