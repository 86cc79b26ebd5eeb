"""AMD3228: half intrinsics that HIP lacks."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..names import missing_calls
from ..unit import Unit

CODE = "AMD3228"
NAMES = ("__hmax2", "__hmin2", "__hmax2_nan", "__hmin2_nan", "__hfma_relu", "__hfma2_relu")


@rule(CODE, triggers=set(NAMES))
def half_missing_intrinsic(unit: Unit) -> Iterator[Finding]:
    bf16 = unit.has(
        "__nv_bfloat162", "nv_bfloat162", "__hip_bfloat162"
    )  # hip_bf16.h has these for its own type
    for name, call in missing_calls(unit, NAMES):
        if bf16 and name in ("__hmax2", "__hmin2"):
            continue
        fix = (
            Fix("safe", "both halves one by one on AMD", helpers=(name,))
            if name in ("__hmax2", "__hmin2")
            else Fix(
                "display",
                "take the halves apart",
                paste="__halves2half2(__hmax(__low2half(a), __low2half(b)), __hmax(__high2half(a), __high2half(b)))",
            )
        )
        yield unit.finding(
            CODE,
            call.name,
            call.close,
            detail=f"HIP has no {name} for half2 (checked in ROCm 6.4.3)",
            fix=fix,
        )
