"""AMD3201: __ballot_sync gets a 32-bit mask; HIP demands 64 bits and answers 64 bits."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..lanes import mask_definitions
from ..teams import team_votes
from ..unit import Unit
from ..votes import narrow_uses
from ..widths import bits

CODE = "AMD3201"


@rule(CODE, triggers={"__ballot_sync"})
def ballot_mask_32bit(unit: Unit) -> Iterator[Finding]:
    if unit.provided("__ballot_sync"):
        return
    helper = team_votes(unit, "__ballot_sync")
    fix = Fix("safe", "the votes of the thread's own 32 lanes on AMD", helpers=helper) if helper else WAVES
    calls = [c for c in unit.calls("__ballot_sync") if len(c.args) == 2 and bits(unit, *c.args[0]) == 32]
    for first, last in mask_definitions(unit, calls):
        yield unit.finding(
            CODE, first, last, detail="a lane mask of 32 bits; HIP's static_assert wants 64", fix=fix
        )
    for call in calls:
        mask = unit.slice(*call.args[0])
        yield unit.finding(
            CODE,
            call.name,
            call.args[0][1] - 1,
            detail=f"the mask {mask} has 32 bits, and HIP's static_assert wants 64",
            fix=fix,
        )
    narrow = {c.name for c in calls}
    for use in narrow_uses(unit, ("__ballot_sync",)):
        if not (use.declaration and use.source in narrow):  # the call itself is reported
            yield unit.finding(CODE, use.first, use.last, detail=use.detail, fix=fix, targets=("wave64",))


WAVES = Fix(
    "display",
    "keep the votes in 64 bits on AMD",
    paste="#ifdef __HIP_PLATFORM_AMD__\n  unsigned long long votes = __ballot(vote);\n  int count = __popcll(votes);\n"
    "#else\n  unsigned votes = __ballot_sync(0xffffffff, vote);\n  int count = __popc(votes);\n#endif",
)
