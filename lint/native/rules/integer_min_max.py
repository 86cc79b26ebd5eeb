"""AMD3253: umin, umax and their 64-bit relatives, which HIP does not have."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..names import missing_calls
from ..unit import Unit

CODE = "AMD3253"
NAMES = ("umin", "umax", "llmin", "llmax", "ullmin", "ullmax")


@rule(CODE, triggers=set(NAMES))
def integer_min_max(unit: Unit) -> Iterator[Finding]:
    for name, call in missing_calls(unit, NAMES):
        if not unit.in_device(call.name) and unit.function(call.name) is not None:
            continue
        fix = Fix("safe", "min or max of that type on AMD", helpers=(name,))
        yield unit.finding(CODE, call.name, call.close, detail=f"HIP has no {name}", fix=fix)
