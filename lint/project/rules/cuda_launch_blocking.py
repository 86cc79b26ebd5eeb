"""AMD7113: CUDA_LAUNCH_BLOCKING, which the HIP runtime does not read."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import variables
from ..file import ProjectFile


@rule("AMD7113", triggers={"CUDA_LAUNCH_BLOCKING"})
def cuda_launch_blocking(file: ProjectFile) -> Iterator[Finding]:
    """Report it where it is switched on and no counterpart is set."""
    if file.for_one_vendor or file.mentions(r"AMD_SERIALIZE_KERNEL|HIP_LAUNCH_BLOCKING"):
        return
    for variable in file.variables:
        if variable.name == "CUDA_LAUNCH_BLOCKING" and variable.value == "1" and not variable.guarded:
            edit = variables.beside(file, variable, "AMD_SERIALIZE_KERNEL", "3")
            yield Finding(
                "AMD7113",
                variable.start,
                variable.end,
                detail="not read on ROCm: kernels stay asynchronous",
                fix=Fix("safe", "set AMD's variable as well", (edit,)) if edit else None,
            )
