"""AMD3202: __any_sync or __all_sync gets a 32-bit mask; HIP demands 64 bits."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..lanes import mask_definitions
from ..teams import team_votes
from ..unit import Unit
from ..widths import bits

CODE = "AMD3202"
VOTES = ("__any_sync", "__all_sync", "__uni_sync")


@rule(CODE, triggers=set(VOTES))
def vote_mask_32bit(unit: Unit) -> Iterator[Finding]:
    for name in VOTES:
        if not unit.has(name) or unit.provided(name):
            continue
        helper = team_votes(unit, name) if name != "__uni_sync" else None
        plain = name.removesuffix("_sync")
        if helper:
            fix = Fix("safe", f"{name} over the thread's own lanes on AMD", helpers=helper)
        else:
            fix = Fix(
                "display",
                f"vote with {plain} on AMD where whole waves vote",
                paste=f"#ifdef __HIP_PLATFORM_AMD__\n  bool yes = {plain}(vote);\n#else\n  bool yes = {name}(0xffffffff, vote);\n#endif",
            )
        calls = [c for c in unit.calls(name) if len(c.args) == 2 and bits(unit, *c.args[0]) == 32]
        for first, last in mask_definitions(unit, calls):
            yield unit.finding(
                CODE, first, last, detail="a lane mask of 32 bits; HIP's static_assert wants 64", fix=fix
            )
        for call in calls:
            detail = f"the mask {unit.slice(*call.args[0])} has 32 bits, and HIP's static_assert wants 64"
            yield unit.finding(CODE, call.name, call.args[0][1] - 1, detail=detail, fix=fix)
