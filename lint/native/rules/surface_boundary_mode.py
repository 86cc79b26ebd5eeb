"""AMD3257: the boundary mode of surface functions, a parameter that HIP's do not have."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..names import missing_calls
from ..unit import Unit

CODE = "AMD3257"
# All parameters with the mode.
COUNTS = {
    "surf1Dwrite": 4,
    "surf2Dwrite": 5,
    "surf3Dwrite": 6,
    "surf1Dread": 4,
    "surf2Dread": 5,
    "surf3Dread": 6,
}


@rule(CODE, triggers={"cudaBoundaryModeTrap", "cudaBoundaryModeZero", "cudaBoundaryModeClamp"})
def surface_boundary_mode(unit: Unit) -> Iterator[Finding]:
    calls = [
        (name, c)
        for name, c in missing_calls(unit, COUNTS)
        if len(c.args) == COUNTS[name] and unit.texts[c.args[-1][0]].startswith("cudaBoundaryMode")
    ]
    for name, call in calls:
        mode = unit.texts[call.args[-1][0]]
        safe = unit.texts[call.name + 1] == "(" and not any(
            n == name and unit.texts[c.args[-1][0]] == "cudaBoundaryModeClamp" for n, c in calls
        )
        fix = (
            Fix("safe", "without the mode on AMD", helpers=(name,))
            if safe
            else Fix("display", "clamp the coordinates by hand", paste="x = min(max(x, 0), width - 1);")
        )
        yield unit.finding(
            CODE, call.name, call.close, detail=f"HIP's {name} has no parameter for {mode}", fix=fix
        )
