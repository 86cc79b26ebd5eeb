"""AMD3214: cub::WarpReduce without a width spans the whole wave on AMD."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from ..lanes import WAVE64, narrow_indices, style
from ..teams import rows_of_32, works_on_rows
from ..unit import Unit

CODE = "AMD3214"
COLLECTIVES = ("WarpReduce", "WarpScan", "WarpMergeSort", "WarpExchange", "WarpLoad", "WarpStore")


@rule(CODE, triggers=set(COLLECTIVES))
def cub_warp_width(unit: Unit) -> Iterator[Finding]:
    by_32 = style(unit) == "warp32"
    rows = rows_of_32(unit)
    if not by_32 and not rows:
        return  # without lanes counted by 32 the wave's own width is as good
    texts = unit.texts
    for i in unit.words("WarpReduce", "WarpScan"):
        if texts[i - 1] != "::" or texts[i - 2] not in ("cub", "hipcub", "CUB_NS") or texts[i + 1] != "<":
            continue
        close = _closing_angle(unit, i + 1)
        if close is None or _commas(unit, i + 2, close):
            continue
        kernel = unit.function(i)
        if not by_32 and (kernel is None or kernel.name not in rows or not works_on_rows(unit, kernel)):
            continue
        at = unit.tokens.starts[close]
        yield unit.finding(
            CODE,
            i - 2,
            close,
            detail=f"without a width {texts[i]} spans 64 lanes on CDNA: two groups of 32 are combined",
            fix=Fix("safe", "state the width of 32", (Edit(at, at, ", 32"),)),
            targets=WAVE64,
        )
        yield from lanes_by_32(unit, i)


def lanes_by_32(unit: Unit, i: int) -> Iterator[Finding]:
    """The indices that expect groups of 32 lanes."""
    function = unit.function(i)
    for index in narrow_indices(unit):
        if function is not None and unit.function(index.op) is function:
            close = _closing_angle(unit, i + 1)
            at = unit.tokens.starts[close] if close is not None else 0
            yield unit.finding(
                CODE,
                index.first,
                index.last,
                detail="groups of 32 lanes here, of 64 in the cub collective above",
                fix=Fix("safe", "state the width of 32", (Edit(at, at, ", 32"),)),
                targets=WAVE64,
            )


def _closing_angle(unit: Unit, opened: int) -> int | None:
    depth = 0
    for i in range(opened, min(len(unit.texts), opened + 40)):
        t = unit.texts[i]
        depth += (t == "<") - (t == ">") - 2 * (t == ">>")
        if depth <= 0:
            return i if t == ">" else None
        if t in (";", "{", "}"):
            return None
    return None


def _commas(unit: Unit, first: int, last: int) -> bool:
    """Whether a second template argument follows at the top level."""
    depth = 0
    for i in range(first, last):
        t = unit.texts[i]
        depth += (t in ("<", "(")) - (t in (">", ")"))
        if t == "," and depth == 0:
            return True
    return False
