"""AMD3250: nv_bfloat16, the alias that hipify does not map."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..unit import Unit

CODE = "AMD3250"
ALIASES = ("nv_bfloat16", "nv_bfloat162")


@rule(CODE, triggers=set(ALIASES))
def bf16_alias(unit: Unit) -> Iterator[Finding]:
    if unit.amd_native:
        return
    for name in ALIASES:
        if not unit.has(name) or unit.provided(name) or _typedefs(unit, name):
            continue
        for i in unit.words(name):
            if unit.is_member(i) or (
                unit.texts[unit.previous(i)] == "::" and unit.texts[unit.previous(unit.previous(i))] != ";"
            ):
                continue
            fix = Fix("safe", "the name that hipify maps", (unit.edit(i, i, f"__{name}"),))
            yield unit.finding(CODE, i, detail=f"hipify maps __{name}, but not {name}", fix=fix)


def _typedefs(unit: Unit, name: str) -> bool:
    """Whether AMD builds get a type of this name here: ``using nv_bfloat16 = ...`` or a typedef."""
    return any(
        unit.texts[i - 1] == "using"
        or (unit.texts[i + 1] == ";" and "typedef" in unit.texts[max(0, i - 6) : i])
        for i in unit.words(name)
    )
