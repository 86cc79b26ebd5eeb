"""AMD3207: HIP's __ballot gives 64 bits, and 32 of them are dropped."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..unit import Unit
from ..votes import COUNTERS, Use, narrow_uses

CODE = "AMD3207"


@rule(CODE, triggers={"__ballot", "__ballot64"})
def ballot_truncated(unit: Unit) -> Iterator[Finding]:
    if unit.provided("__ballot"):
        return
    for use in narrow_uses(unit, ("__ballot", "__ballot64")):
        yield unit.finding(
            CODE, use.first, use.last, detail=use.detail, fix=widen(unit, use), targets=("wave64",)
        )


def widen(unit: Unit, use: Use) -> Fix:
    """Keep all 64 lanes. The code around a plain __ballot is AMD's alone: CUDA has dropped it."""
    message = "keep the votes of all 64 lanes"
    if use.declaration:
        if not unit.texts[use.type_first : use.type_last][0] or "," in unit.texts[use.type_first : use.first]:
            return Fix("display", message, paste="unsigned long long votes = __ballot(vote);")
        words = unit.texts[use.type_first : use.type_last]
        kept = [w for w in words if w in ("const", "constexpr", "static")]
        return Fix(
            "safe",
            message,
            (unit.edit(use.type_first, use.type_last - 1, " ".join([*kept, "unsigned long long"])),),
        )
    return Fix("safe", message, (unit.edit(use.first, use.first, COUNTERS[use.name]),))
