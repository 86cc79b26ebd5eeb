"""AMD2107: TORCH_CUDA_ARCH_LIST, whose counterpart is PYTORCH_ROCM_ARCH."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..file import ProjectFile


@rule("AMD2107", triggers={"TORCH_CUDA_ARCH_LIST"})
def torch_cuda_arch_list(file: ProjectFile) -> Iterator[Finding]:
    """Report it where no PYTORCH_ROCM_ARCH stands beside."""
    if file.for_one_vendor or file.mentions("PYTORCH_ROCM_ARCH"):
        return
    for variable in file.variables:
        if variable.name == "TORCH_CUDA_ARCH_LIST" and not variable.guarded and variable.value:
            targets = ";".join(t for t in file.settings.targets if t.startswith("gfx")) or "gfx942;gfx1100"
            yield Finding(
                "AMD2107",
                variable.start,
                variable.end,
                detail="ROCm builds take their targets from PYTORCH_ROCM_ARCH",
                fix=Fix("display", "name the AMD targets", paste=f'PYTORCH_ROCM_ARCH="{targets}"'),
            )
