"""AMD3249: bf16 conversions that hip_bf16.h lacks."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..names import missing_calls
from ..unit import Unit

CODE = "AMD3249"
NAMES = ("__float2bfloat16_rn", "__floats2bfloat162_rn")


@rule(CODE, triggers=set(NAMES))
def bf16_missing_intrinsic(unit: Unit) -> Iterator[Finding]:
    for name, call in missing_calls(unit, NAMES):
        fix = Fix("safe", "the conversion that HIP has", helpers=(name,))
        yield unit.finding(
            CODE, call.name, call.close, detail=f"hip_bf16.h has no {name} up to ROCm 6.4", fix=fix
        )
