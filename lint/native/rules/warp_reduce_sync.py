"""AMD3204: __reduce_*_sync does not exist before ROCm 7.0 and wants a 64-bit mask after."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..lanes import is_full, style
from ..unit import Unit
from ..widths import bits

CODE = "AMD3204"
REDUCTIONS = tuple(f"__reduce_{op}_sync" for op in ("add", "max", "min", "and", "or", "xor"))


@rule(CODE, triggers=set(REDUCTIONS))
def warp_reduce_sync(unit: Unit) -> Iterator[Finding]:
    for name in REDUCTIONS:
        if not unit.has(name) or unit.provided(name):
            continue
        calls = [c for c in unit.calls(name) if len(c.args) == 2]
        whole = all(is_full(unit, c) for c in calls) and style(unit) in ("warp32", "none")
        fix = (
            Fix("safe", "a shuffle tree over the thread's own 32 lanes on AMD", helpers=(name,))
            if whole
            else Fix(
                "display",
                "reduce with a shuffle tree on AMD",
                paste="for (int m = 16; m > 0; m >>= 1) v += __shfl_xor(v, m, 32);",
            )
        )
        for call in calls:
            if bits(unit, *call.args[0]) == 64 and unit.settings.rocm:
                continue
            yield unit.finding(
                CODE,
                call.name,
                detail=f"{name} is undeclared before ROCm 7.0 and rejects 32-bit masks from 7.0 on",
                fix=fix,
            )
