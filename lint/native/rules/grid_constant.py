"""AMD3244: __grid_constant__ is unknown to HIP."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..unit import Unit

CODE = "AMD3244"


@rule(CODE, triggers={"__grid_constant__"})
def grid_constant(unit: Unit) -> Iterator[Finding]:
    if unit.provided("__grid_constant__"):
        return
    for i in unit.words("__grid_constant__"):
        fix = Fix("safe", "define it empty on AMD", helpers=("__grid_constant__",))
        yield unit.finding(CODE, i, detail="HIP does not know __grid_constant__", fix=fix)
