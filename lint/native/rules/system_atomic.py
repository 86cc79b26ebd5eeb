"""AMD3254: atomicInc_system and atomicDec_system, which HIP does not have."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..names import missing_calls
from ..unit import Unit

CODE = "AMD3254"
NAMES = ("atomicInc_system", "atomicDec_system")


@rule(CODE, triggers=set(NAMES))
def system_atomic(unit: Unit) -> Iterator[Finding]:
    for name, call in missing_calls(unit, NAMES):
        fix = Fix("safe", "a compare-and-swap loop of system scope on AMD", helpers=(name,))
        yield unit.finding(CODE, call.name, call.close, detail=f"HIP has no {name}", fix=fix)
