"""AMD6100: CuPy wheels that are bound to a CUDA version."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import edits, packages
from ..file import ProjectFile

NAMES = r"cupy-cuda\d+x?"


@rule("AMD6100", triggers={"cupy", "cupy_cuda12x", "cupy_cuda11x", "cupy_cuda13x"})
def cupy_cuda_wheel(file: ProjectFile) -> Iterator[Finding]:
    """Report them; the ROCm wheel has another name."""
    for requirement in packages.asked(file, NAMES):
        fix = Fix(
            "unsafe",
            "ask for the ROCm 7 wheel",
            (edits.replace(requirement, "cupy-rocm-7-0"),),
            reason="NVIDIA machines that install from this file would then get the ROCm wheel",
        )
        yield Finding(
            "AMD6100",
            requirement.start,
            requirement.end,
            detail=f"{requirement.name} loads the CUDA runtime",
            fix=fix,
        )
