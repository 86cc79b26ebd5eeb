"""AMD7115: NVIDIA_TF32_OVERRIDE, which only cuBLAS and cuDNN read."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..file import ProjectFile


@rule("AMD7115", triggers={"NVIDIA_TF32_OVERRIDE"})
def nvidia_tf32_override(file: ProjectFile) -> Iterator[Finding]:
    """Report every setting."""
    for variable in file.variables:
        if variable.name == "NVIDIA_TF32_OVERRIDE" and not variable.guarded and not file.for_both:
            yield Finding("AMD7115", variable.start, variable.end, detail="no ROCm library reads it")
