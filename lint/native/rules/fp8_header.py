"""AMD5200: <cuda_fp8.h> and the __nv_fp8 types."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..names import at_include, includes, missing_words
from ..rewrite import skip_include
from ..unit import Unit

CODE = "AMD5200"
_NAMES = re.compile(r"__nv_fp8\w*|__nv_cvt_\w*fp8\w*|__NV_(?:E4M3|E5M2|SATFINITE|NOSAT)")


@rule(
    CODE,
    triggers={
        "cuda_fp8",
        "__nv_fp8_e4m3",
        "__nv_fp8_e5m2",
        "__nv_fp8_storage_t",
        "__nv_fp8x2_e4m3",
        "__nv_fp8x4_e4m3",
        "__nv_fp8x2_storage_t",
    },
)
def fp8_header(unit: Unit) -> Iterator[Finding]:
    used = sorted(
        {
            unit.texts[i]
            for n in unit.tokens.words
            if _NAMES.fullmatch(n) and not unit.provided(n)
            for i in unit.words(n)
        }
    )
    amd = ["#include <hip/hip_fp8.h>", *(f"#define {n} {on_amd(n)}" for n in used)]
    rewrite = None
    for _, directive in includes(unit, re.compile(r"cuda_fp8\.h")):
        rewrite = rewrite or Fix("safe", "HIP's OCP types on AMD", skip_include(unit, directive, amd))
        yield at_include(unit, CODE, directive, "ROCm has no cuda_fp8.h, and hipify does not map it", rewrite)
    for i in missing_words(unit, _NAMES):
        name = unit.texts[i]
        fix = rewrite or Fix(
            "display",
            "HIP's OCP types on AMD",
            paste=f"#include <hip/hip_fp8.h>\n#define {name} {on_amd(name)}",
        )
        yield unit.finding(
            CODE,
            i,
            detail=f"hipify does not map {name}; on MI300 the hardware format is FNUZ with a largest value of 240",
            fix=fix,
        )


def on_amd(name: str) -> str:
    """HIP's spelling: the same with hip for nv."""
    return name.replace("__nv_", "__hip_").replace("__NV_", "__HIP_")
