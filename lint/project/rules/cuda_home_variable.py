"""AMD2108: CUDA_HOME set for a build that ROCm's PyTorch does by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..file import ProjectFile


@rule("AMD2108", triggers={"CUDA_HOME", "CUDA_PATH"})
def cuda_home_variable(file: ProjectFile) -> Iterator[Finding]:
    """Report it where it is set to a fixed folder."""
    if file.for_both:
        return
    for variable in file.variables:
        if (
            variable.name in ("CUDA_HOME", "CUDA_PATH")
            and not variable.guarded
            and re.search(r"/[^$]*cuda", variable.value)
            and variable.where != "pair"
        ):
            yield Finding(
                "AMD2108", variable.start, variable.end, detail="ROCm's PyTorch reads ROCM_HOME instead"
            )
