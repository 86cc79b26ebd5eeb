"""AMD3210: a 64-bit mask with only the lower half set."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..lanes import FULL, SHUFFLES, WAVE64, mask_value, shuffle_helper
from ..lexer import WORD
from ..teams import team_votes
from ..unit import Unit
from ..widths import bits

CODE = "AMD3210"
VOTES = ("__ballot_sync", "__any_sync", "__all_sync", "__match_any_sync")


@rule(CODE, triggers={*SHUFFLES, *VOTES})
def sync_mask_half_set(unit: Unit) -> Iterator[Finding]:
    reported: set[int] = set()
    for name in (*SHUFFLES, *VOTES):
        if not unit.has(name) or unit.provided(name):
            continue
        helper = shuffle_helper(unit, name) if name in SHUFFLES else team_votes(unit, name)
        fix = (
            Fix("safe", f"{name} without a mask on AMD", helpers=helper)
            if helper
            else Fix(
                "display",
                "set all 64 bits",
                paste="constexpr unsigned long long kAllLanes = 0xffffffffffffffffull;",
            )
        )
        for call in unit.calls(name):
            if not call.args or mask_value(unit, call) != FULL or bits(unit, *call.args[0]) != 64:
                continue
            for i in range(*call.args[0]):
                for token, _, last in (
                    unit.constants.get(unit.texts[i], ()) if unit.tokens.kinds[i] == WORD else ()
                ):
                    if token not in reported and unit.live(token):
                        reported.add(token)
                        yield unit.finding(
                            CODE,
                            token,
                            last - 1,
                            detail="64 bits wide, but only lanes 0 to 31 are named",
                            fix=fix,
                            targets=WAVE64,
                        )
            detail = "the mask names lanes 0 to 31 only; built without NDEBUG, HIP stops a 64-lane wave whose other lanes are active"
            yield unit.finding(
                CODE,
                call.name,
                call.args[0][1] - 1,
                detail=detail,
                fix=fix,
                targets=WAVE64,
                # with a width a shuffle stays in its 32 lanes: right in release builds
                severity="warning" if name in SHUFFLES and len(call.args) > 3 else None,
            )
