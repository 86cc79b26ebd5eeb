"""AMD3255: a uint3 as grid or block of a launch."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from ..unit import Unit

CODE = "AMD3255"


@rule(CODE, triggers={"uint3"})
def uint3_launch(unit: Unit) -> Iterator[Finding]:
    if unit.amd_native:
        return
    for launch in unit.launches:
        for first, last in launch.args[:2]:
            name = unit.texts[first]
            declared = unit.declared(name, first) if last == first + 1 else None
            if declared is None or "uint3" not in unit.texts[declared[0] : declared[1]]:
                continue
            start, end = unit.span(first, first)
            fix = Fix(
                "safe", "a dim3 of its parts", (Edit(start, end, f"dim3({name}.x, {name}.y, {name}.z)"),)
            )
            detail = f"{name} is a uint3, and HIP's dim3 cannot be made from one"
            yield unit.finding(CODE, first, detail=detail, fix=fix)
