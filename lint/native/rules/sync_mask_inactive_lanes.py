"""AMD3209: an all-ones mask where only a part of the wave is active."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..lanes import SHUFFLES, WAVE64, mask_value, narrow_indices, shuffle_helper, thread_names
from ..lexer import WORD
from ..teams import team_votes
from ..unit import Unit

CODE = "AMD3209"
VOTES = ("__ballot_sync", "__any_sync", "__all_sync")
ALL = 0xFFFFFFFFFFFFFFFF


@rule(CODE, triggers={*SHUFFLES, *VOTES})
def sync_mask_inactive_lanes(unit: Unit) -> Iterator[Finding]:
    for name in (*SHUFFLES, *VOTES):
        if not unit.has(name) or unit.provided(name):
            continue
        for call in unit.calls(name):
            if mask_value(unit, call) != ALL or unit.value(*call.args[0]) in (-1, None):
                continue  # 32-bit masks have a rule of their own
            condition = _half_wave(unit, call.name)
            if condition is None:
                continue
            helper = shuffle_helper(unit, name) if name in SHUFFLES else team_votes(unit, name)
            fix = (
                Fix("safe", f"{name} without a mask on AMD", helpers=helper)
                if helper
                else Fix("display", "no mask on AMD", paste=f"{name.removesuffix('_sync')}(v, d, 32)")
            )
            detail = (
                f"{condition} leaves a part of the 64 lanes off, and HIP stops a wave whose mask names them"
            )
            yield unit.finding(CODE, call.name, call.args[0][1] - 1, detail=detail, fix=fix, targets=WAVE64)


def _half_wave(unit: Unit, i: int) -> str | None:
    """The ``if (threadIdx.x < 32)`` around the call, where its bound is no multiple of 64."""
    texts, match = unit.texts, unit.tokens.match
    function = unit.function(i)
    if function is None:
        return None
    lanes = {
        texts[x.first - 2]
        for x in narrow_indices(unit)
        if texts[x.first - 1] == "=" and unit.tokens.kinds[x.first - 2] == WORD
    }
    threads = thread_names(unit) | {"threadIdx"} | lanes
    for k in unit.tokens.words.get("if", ()):
        opened = unit.next(k)
        if not function.body < k < i or texts[opened] != "(" or opened not in match:
            continue
        body = unit.next(match[opened])
        end = match.get(body) if texts[body] == "{" else _statement_end(unit, body)
        if end is None or not body <= i <= end:
            continue
        for j in range(opened + 1, match[opened]):
            if (
                texts[j] == "<"
                and texts[j - 1] in {"x", *threads}
                and (texts[j - 1] != "x" or texts[j - 3] == "threadIdx")
            ):
                bound = unit.value(j + 1, j + 2)
                if bound is not None and bound % 64 and bound > 0:
                    return unit.slice(k, match[opened] + 1)
    return None


def _statement_end(unit: Unit, i: int) -> int:
    while i < len(unit.texts) and unit.texts[i] != ";":
        i = unit.tokens.match.get(i, i) + 1 if unit.texts[i] in ("(", "[", "{") else i + 1
    return i
