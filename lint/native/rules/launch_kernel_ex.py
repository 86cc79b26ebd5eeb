"""AMD3247: programmatic dependent launch (cudaLaunchKernelEx)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..names import missing_calls, missing_words
from ..unit import Unit

CODE = "AMD3247"
_HOST = re.compile(
    r"cudaLaunchKernelExC?|cudaLaunchConfig_t|cudaLaunchAttribute|cudaLaunchAttributeProgrammaticStreamSerialization"
)
_DEVICE = ("cudaGridDependencySynchronize", "cudaTriggerProgrammaticLaunchCompletion")


@rule(
    CODE,
    triggers={
        "cudaLaunchKernelEx",
        "cudaLaunchKernelExC",
        "cudaLaunchConfig_t",
        "cudaLaunchAttribute",
        *_DEVICE,
    },
)
def launch_kernel_ex(unit: Unit) -> Iterator[Finding]:
    for i in missing_words(unit, _HOST):
        yield unit.finding(
            CODE,
            i,
            detail=f"{unit.texts[i]} is not mapped by hipify",
            fix=Fix(
                "display",
                "launch the ordinary way on AMD",
                paste=f"{unit.if_amd}\n  kernel<<<grid, block, bytes, stream>>>(...);\n#else\n  // cudaLaunchKernelEx as before\n#endif",
            ),
        )
    for name, call in missing_calls(unit, _DEVICE):
        fix = Fix("safe", "nothing to wait for on AMD", helpers=(name,))
        yield unit.finding(CODE, call.name, call.close, detail=f"HIP has no {name}", fix=fix)
