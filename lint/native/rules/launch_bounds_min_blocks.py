"""AMD3224: the second argument of __launch_bounds__ means something else on HIP."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..unit import Unit

CODE = "AMD3224"


@rule(CODE, triggers={"__launch_bounds__"})
def launch_bounds_min_blocks(unit: Unit) -> Iterator[Finding]:
    if unit.provided("__launch_bounds__") or unit.ported:
        return
    for i in unit.words("__launch_bounds__"):
        call = unit.call(i)
        if call is None or len(call.args) < 2 or unit.amd_only(i):
            continue
        blocks = unit.value(*call.args[1])
        if blocks is None or blocks < 4:
            continue  # so few waves per SIMD unit leave more registers than CUDA's own limit
        detail = f"{unit.slice(*call.args[1])} is blocks per multiprocessor on CUDA, waves per SIMD unit on HIP: it limits registers there"
        yield unit.finding(
            CODE,
            i,
            call.close,
            detail=detail,
            fix=Fix("safe", "bound only the threads on AMD", helpers=("__launch_bounds__",)),
        )
