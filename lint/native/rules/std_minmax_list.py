"""AMD3248: std::max({a, b}) in a file that hipify rewrites."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..unit import Call, Unit

CODE = "AMD3248"


@rule(CODE, triggers={"max", "min"})
def std_minmax_list(unit: Unit) -> Iterator[Finding]:
    if unit.amd_native:
        return
    if unit.source.path.suffix not in (".cu", ".cuh") or unit.build in ("nvcc", "hip"):
        return  # hipify rewrites std::max( in these files only
    for call in unit.calls("max", "min"):
        if (
            unit.texts[call.name - 2 : call.name] != ["std", "::"]
            or call.open != call.name + 1
            or unit.texts[call.open + 1] != "{"
        ):
            continue
        name = unit.texts[call.name]
        yield unit.finding(
            CODE,
            call.name - 2,
            call.close,
            detail=f"hipify writes ::{name}(, which has no overload for a list",
            fix=nested(unit, call, name),
        )


def nested(unit: Unit, call: Call, name: str) -> Fix:
    """The same of two values at a time. A list has values of one type, so the overloads agree."""
    opened = call.open + 1
    values = (
        [unit.slice(a, b) for a, b in unit.arguments(opened)]
        if unit.tokens.match.get(opened) == call.close - 1
        else []
    )
    if len(values) < 2 or any("\n" in v or "//" in v for v in values):
        return Fix("display", "two values at a time", paste=f"std::{name}(std::{name}(a, b), c)")
    # From the left, as the overload for lists compares: a NaN gives the same answer.
    text = values[0]
    for value in values[1:]:
        text = f"std::{name}({text}, {value})"
    return Fix("safe", "two values at a time", (unit.edit(call.name - 2, call.close, text),))
