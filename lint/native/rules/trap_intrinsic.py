"""AMD3237: __trap is not declared in HIP."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..names import missing_calls
from ..unit import Unit

CODE = "AMD3237"
NAMES = ("__trap", "__brkpt")


@rule(CODE, triggers=set(NAMES))
def trap_intrinsic(unit: Unit) -> Iterator[Finding]:
    for name, call in missing_calls(unit, NAMES):
        fix = Fix("safe", "__builtin_trap on AMD", helpers=(name,))
        yield unit.finding(CODE, call.name, call.close, detail=f"{name} is not declared in HIP", fix=fix)
