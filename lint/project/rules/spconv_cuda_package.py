"""AMD6108: spconv wheels that are bound to CUDA."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import edits, packages
from ..file import ProjectFile

NAMES = r"spconv-cu\d+"


@rule("AMD6108", triggers={"spconv", "spconv_cu120"})
def spconv_cuda_package(file: ProjectFile) -> Iterator[Finding]:
    """Report them; spconv-triton has the same interface."""
    for requirement in packages.asked(file, NAMES):
        fix = Fix(
            "unsafe",
            "ask for the Triton implementation",
            (edits.replace(requirement, "spconv-triton"),),
            reason="the program has to import another name, and NVIDIA machines run the Triton kernels too",
        )
        yield Finding(
            "AMD6108",
            requirement.start,
            requirement.end,
            detail=f"{requirement.name} holds CUDA kernels",
            fix=fix,
        )
