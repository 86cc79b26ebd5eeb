"""Follow a lane mask (ballot, active mask, matches) from where it comes from to where it loses its upper half."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .lexer import WORD
from .unit import Call, Unit
from .widths import type_width

COUNTERS = {"__popc": "__popcll", "__ffs": "__ffsll", "__clz": "__clzll", "__brev": "__brevll"}


@dataclass(frozen=True, slots=True)
class Use:
    """One place where a 64-bit lane mask is treated as 32 bits. Token indices."""

    first: int
    last: int
    detail: str
    declaration: bool
    name: str
    type_first: int = -1
    type_last: int = -1
    source: int = -1


def narrow_uses(unit: Unit, sources: tuple[str, ...]) -> Iterator[Use]:
    """Variables of 32 bits that take the mask, and 32-bit counting of the mask."""
    texts = unit.texts
    counted: set[int] = set()
    for call in unit.calls(*sources):
        name = texts[call.name]
        holder = _holder(unit, call)
        direct = _around(unit, call)
        if direct is not None:
            counted.add(direct)
            yield Use(
                direct,
                call.close,
                f"{texts[direct]} reads 32 of the 64 bits that {name} gives on AMD",
                False,
                texts[direct],
                source=call.name,
            )
        if holder is None:
            continue
        declared = unit.declared(texts[holder], holder)
        width = type_width(unit, declared[0], declared[1]) if declared else None
        auto = declared is not None and "auto" in texts[declared[0] : declared[1]]
        if declared and width == 32:
            yield Use(
                holder, call.name, f"{name} gives 64 bits on AMD; the 32-bit {texts[holder]} drops lanes 32 to 63", True, texts[holder],
                declared[0], declared[1], call.name,
            )  # fmt: skip
        if width == 32 or width == 64 or auto:
            function = unit.function(holder)
            if function is None:
                continue
            for i in unit.tokens.words.get(texts[holder], ()):
                if not holder < i < function.end or not unit.live(i):
                    continue
                counter = _counter_of(unit, i)
                if counter is not None and counter not in counted:
                    counted.add(counter)
                    yield Use(
                        counter,
                        i,
                        f"{texts[counter]} counts 32 of the 64 lanes in {texts[holder]}",
                        False,
                        texts[counter],
                        source=call.name,
                    )


def _holder(unit: Unit, call: Call) -> int | None:
    """The variable that is initialised or assigned with just this call."""
    p = unit.previous(call.name)
    if unit.texts[p] == ")" and p in unit.tokens.match:  # a cast
        p = unit.previous(unit.tokens.match[p])
    if unit.texts[p] != "=":
        return None
    n = unit.next(call.close)
    if n < len(unit.texts) and unit.texts[n] not in (";", ",", ")"):
        return None
    holder = unit.previous(p)
    return (
        holder
        if holder >= 0
        and unit.tokens.kinds[holder] == WORD
        and unit.texts[unit.previous(holder)] not in (".", "->")
        else None
    )


def _around(unit: Unit, call: Call) -> int | None:
    """The counting intrinsic whose argument the call is."""
    p = unit.previous(call.name)
    if p < 1 or unit.texts[p] != "(":
        return None
    name = unit.previous(p)
    return name if unit.texts[name] in COUNTERS else None


def _counter_of(unit: Unit, i: int) -> int | None:
    """The counting intrinsic whose argument starts with token ``i``."""
    p = unit.previous(i)
    while p > 0 and unit.texts[p] in ("(", "~"):
        name = unit.previous(p)
        if unit.texts[name] in COUNTERS:
            return name
        p = name if unit.texts[name] == "(" else -1
    return None
