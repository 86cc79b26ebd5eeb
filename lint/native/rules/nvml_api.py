"""AMD6209: NVML calls."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..names import at_include, includes, missing_words
from ..unit import Unit

CODE = "AMD6209"
_HEADER = re.compile(r"nvml\.h")
_NAMES = re.compile(r"nvml[A-Z]\w*")


@rule(
    CODE,
    triggers={
        "nvml",
        "nvmlInit",
        "nvmlInit_v2",
        "nvmlDeviceGetHandleByIndex",
        "nvmlDevice_t",
        "nvmlDeviceGetUtilizationRates",
        "nvmlShutdown",
        "nvmlReturn_t",
    },
)
def nvml_api(unit: Unit) -> Iterator[Finding]:
    fix = Fix(
        "display",
        "AMD SMI behind a guard",
        paste=f"{unit.if_amd}\n#include <amd_smi/amdsmi.h>\n  amdsmi_get_gpu_activity(handle, &activity);\n#else\n#include <nvml.h>\n#endif",
    )
    for name, directive in includes(unit, _HEADER):
        yield at_include(
            unit, CODE, directive, f"hipify maps {name} to ROCm SMI, whose functions have other names", fix
        )
    for i in missing_words(unit, _NAMES):
        yield unit.finding(
            CODE, i, detail=f"{unit.texts[i]} is not mapped; AMD SMI has functions of its own", fix=fix
        )
