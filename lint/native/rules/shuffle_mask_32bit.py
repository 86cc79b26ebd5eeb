"""AMD3200: a masked shuffle gets a 32-bit mask; HIP demands 64 bits on every GPU."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..lanes import SHUFFLES, mask_definitions, shuffle_helper
from ..unit import Unit
from ..widths import bits

CODE = "AMD3200"


@rule(CODE, triggers=set(SHUFFLES))
def shuffle_mask_32bit(unit: Unit) -> Iterator[Finding]:
    for name in SHUFFLES:
        if not unit.has(name) or unit.provided(name):
            continue
        calls = [c for c in unit.calls(name) if len(c.args) >= 3 and bits(unit, *c.args[0]) == 32]
        for first, last in mask_definitions(unit, calls):
            yield unit.finding(
                CODE,
                first,
                last,
                detail="a lane mask of 32 bits; HIP's static_assert wants 64",
                fix=unmasked(unit, name),
            )
        for call in calls:
            mask = unit.slice(*call.args[0])
            yield unit.finding(
                CODE,
                call.name,
                call.args[0][1] - 1,
                detail=f"the mask {mask} has 32 bits, and HIP's static_assert wants 64",
                fix=unmasked(unit, name),
            )


def unmasked(unit: Unit, name: str) -> Fix:
    """Drop the mask on AMD: waves run in lockstep, and a full 64-bit mask traps where lanes are off."""
    helper = shuffle_helper(unit, name)
    if helper is None:
        plain = name.removesuffix("_sync")
        return Fix(
            "display",
            f"call {plain} on AMD, with a width of 32 where the code counts in warps of 32",
            paste=f"{unit.if_amd}\n  v = {plain}(v, i, 32);\n#else\n  v = {name}(0xffffffff, v, i);\n#endif",
        )
    return Fix("safe", f"{name} without a mask on AMD", helpers=helper)
