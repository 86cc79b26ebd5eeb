"""AMD3205: __syncwarp is undeclared before ROCm 7.0 and rejects a 32-bit mask from 7.0 on."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..unit import Unit
from ..widths import bits

CODE = "AMD3205"


@rule(CODE, triggers={"__syncwarp"})
def syncwarp(unit: Unit) -> Iterator[Finding]:
    if unit.provided("__syncwarp"):
        return
    current = unit.ported or bool(unit.settings.rocm and int(unit.settings.rocm.split(".")[0] or 0) >= 7)
    fix = Fix("safe", "order the memory of the wave on AMD", helpers=("__syncwarp",))
    for call in unit.calls("__syncwarp"):
        masked = bool(call.args)
        if masked and bits(unit, *call.args[0]) == 32:
            detail = f"undeclared before ROCm 7.0; from 7.0 on the mask {unit.slice(*call.args[0])} must have 64 bits"
        elif current:
            continue
        else:
            detail = "undeclared before ROCm 7.0"
        yield unit.finding(CODE, call.name, call.close, detail=detail, fix=fix)
