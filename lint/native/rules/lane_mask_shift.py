"""AMD3212: ``1 << lane`` in 32 bits, where lanes reach 63."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..lanes import WAVE64, is_wave_name
from ..lexer import NUMBER, WORD
from ..unit import Unit

CODE = "AMD3212"


@rule(CODE, triggers={"warpSize", "__lane_id", "WARP_SIZE", "C10_WARP_SIZE", "__AMDGCN_WAVEFRONT_SIZE"})
def lane_mask_shift(unit: Unit) -> Iterator[Finding]:
    texts = unit.texts
    for i, t in enumerate(texts):
        if (
            t != "<<"
            or texts[i - 1] not in ("1", "1u", "1U", "0x1", "0x1u")
            or unit.tokens.kinds[i - 1] != NUMBER
            or not unit.live(i)
        ):
            continue
        p = unit.previous(i - 1)
        if texts[p] == ")" and "long" in texts[unit.tokens.match.get(p, p) : p]:
            continue  # (unsigned long long)1 << lane
        lane = i + 1
        if texts[lane] == "(" and lane in unit.tokens.match:
            lane += 1
        if not _reaches_63(unit, lane):
            continue
        yield unit.finding(
            CODE,
            i - 1,
            lane,
            detail=f"{texts[lane]} reaches 63 on a 64-lane wave, and {texts[i - 1]} has 32 bits",
            fix=Fix("safe", "shift in 64 bits", (unit.edit(i - 1, i - 1, "1ull"),))
            if unit.amd_only(i) or _plain_use(unit, i - 1, lane)
            else Fix(
                "display",
                "shift in 64 bits and keep the mask in unsigned long long",
                paste=f"1ull << {texts[lane]}",
            ),
            targets=WAVE64,
        )


def _plain_use(unit: Unit, first: int, last: int) -> bool:
    """Whether the shift stands in bit arithmetic, where 64 bits give NVIDIA the same low 32 bits."""
    texts = unit.texts
    before, after = unit.previous(first), unit.next(last)
    while texts[before] == "(" and texts[after] == ")":
        name = unit.previous(before)
        if unit.tokens.kinds[name] == WORD and texts[name] not in (
            "return",
            "__popc",
            "__popcll",
            "if",
            "while",
        ):
            return False  # an argument: its type may choose a function
        before, after = (
            name if texts[name] in ("__popc", "__popcll") else unit.previous(before),
            unit.next(after),
        )
    low = {"=", "&", "|", "^", "~", "&=", "|=", "^=", "(", "return", "if", "while", "!"}
    return texts[before] in low and texts[after] in {";", "&", "|", "^", "-", ")", "!=", "=="}


def _reaches_63(unit: Unit, i: int) -> bool:
    """Whether the token is a lane number of the wave: ``x % warpSize``, ``x & (warpSize - 1)``, ``__lane_id()``."""
    texts = unit.texts
    if texts[i] == "__lane_id":
        return not _cut_to_32(unit, i)
    if unit.tokens.kinds[i] != WORD:
        return False
    if texts[i] == "threadIdx":
        return texts[i + 3] == "%" and is_wave_name(unit, texts[i + 4])
    declared = unit.declared(texts[i], i)
    if declared is None or texts[declared[2]] != "=":
        return False
    j = declared[2] + 1
    while j < len(texts) and texts[j] != ";":
        if texts[j] == "__lane_id":
            return not _cut_to_32(unit, j)
        if texts[j] in ("%", "&"):
            k = j + 1
            while texts[k] == "(":
                k += 1
            return is_wave_name(unit, texts[k])
        j += 1
    return False


def _cut_to_32(unit: Unit, i: int) -> bool:
    """Whether ``__lane_id()`` goes on as ``& 31`` or ``% 32``."""
    op, number = unit.texts[i + 3 : i + 4], unit.value(i + 4, i + 5) if i + 5 <= len(unit.texts) else None
    return (op == ["&"] and number == 31) or (op == ["%"] and number == 32)
