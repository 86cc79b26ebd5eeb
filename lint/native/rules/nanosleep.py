"""AMD3236: __nanosleep is not declared in HIP."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..names import missing_calls
from ..unit import Unit

CODE = "AMD3236"
NAMES = ("__nanosleep",)


@rule(CODE, triggers=set(NAMES))
def nanosleep(unit: Unit) -> Iterator[Finding]:
    for name, call in missing_calls(unit, NAMES):
        fix = Fix("safe", "s_sleep on AMD", helpers=(name,))
        yield unit.finding(CODE, call.name, call.close, detail=f"{name} is not declared in HIP", fix=fix)
