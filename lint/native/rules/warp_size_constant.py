"""AMD3215: warpSize where C++ wants a compile-time constant."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..lexer import NUMBER, WORD
from ..unit import Unit

CODE = "AMD3215"
_BY_TARGET = """\
#if defined(__GFX9__)
constexpr int kWaveSize = 64;  // CDNA and other gfx9 targets, device code
#else
constexpr int kWaveSize = 32;
#endif"""


@rule(CODE, triggers={"warpSize"})
def warp_size_constant(unit: Unit) -> Iterator[Finding]:
    if unit.provided("warpSize"):
        return
    texts = unit.texts
    for i in unit.words("warpSize"):
        if unit.is_member(i):
            continue
        macro = unit.macro_at(i)
        if macro is not None:
            if macro.params is None and _sizes_something(unit, macro.name):
                yield unit.finding(
                    CODE,
                    macro.directive.first,
                    macro.last - 1,
                    detail=f"{macro.name} sizes an array or a template, and warpSize is no constant from ROCm 7.0 on",
                    fix=_smallest_wave(unit, i),
                )
            continue
        how = _constant_context(unit, i)
        if how:
            yield unit.finding(
                CODE,
                i,
                detail=f"warpSize in {how} is no constant from ROCm 7.0 on",
                fix=_smallest_wave(unit, i)
                if how == "an array bound" and texts[unit.previous(i)] == "/"
                else Fix("display", "select by target", paste=_BY_TARGET),
            )


def _smallest_wave(unit: Unit, i: int) -> Fix:
    """An array with one place for each wave is large enough for any wave size when sized for waves of 32."""
    if unit.texts[unit.previous(i)] != "/":
        return Fix("display", "select by target", paste=_BY_TARGET)
    return Fix("safe", "size for the smallest wave", (unit.edit(i, i, "32"),))


def _sizes_something(unit: Unit, name: str) -> bool:
    """Whether the macro is an array bound or a template argument anywhere in the file."""
    return any(unit.macro_at(i) is None and _constant_context(unit, i) for i in unit.words(name))


def _constant_context(unit: Unit, i: int) -> str:
    texts = unit.texts
    # the expression around the word, up to a bracket or a separator
    left = unit.previous(i)
    while (
        left > 0
        and (texts[left] in ("+", "-", "*", "/", "%") or unit.tokens.kinds[left] in (WORD, NUMBER))
        and texts[left] not in ("return", "case")
    ):
        left = unit.previous(left)
    if texts[left] == "case" or texts[unit.previous(i)] == "case":
        return "a case label"
    if texts[left] == "[" and _declares_array(unit, left):
        return "an array bound"
    if texts[left] in ("<", ",") and _template_argument(unit, left, i):
        return "a template argument"
    if texts[left] == "(" and texts[unit.previous(left)] == "static_assert":
        return "a static_assert"
    start = left
    while start > 0 and texts[start] not in (";", "{", "}", ")"):
        if texts[start] == "constexpr":
            return "a constexpr"
        start -= 1
    if texts[left] == "return" or texts[unit.previous(i)] == "return":
        function = unit.function(i)
        if function is not None and "constexpr" in texts[function.start : function.params]:
            return "a constexpr function"
    return ""


def _declares_array(unit: Unit, bracket: int) -> bool:
    """``float sums[...]`` declares; ``sums[...] = x`` does not."""
    name = unit.previous(bracket)
    while unit.texts[name] == "]":
        name = unit.previous(unit.tokens.match.get(name, name))
    before = unit.previous(name)
    return unit.tokens.kinds[name] == WORD and (
        (unit.tokens.kinds[before] == WORD and unit.texts[before] not in ("return", "else", "case"))
        or unit.texts[before] in (">", "*")
    )


def _template_argument(unit: Unit, left: int, i: int) -> bool:
    texts = unit.texts
    k = left
    while k > 0 and texts[k] == ",":
        k = unit.previous(k)
        while k > 0 and texts[k] not in ("<", ",", "(", ";", "{", "}"):
            k = unit.previous(k)
    if texts[k] != "<" or unit.tokens.kinds[unit.previous(k)] != WORD:
        return False
    n = unit.next(i)
    while n < len(texts) and (texts[n] in "+-*/," or unit.tokens.kinds[n] in (WORD, NUMBER)):
        n = unit.next(n)
    if n >= len(texts) or texts[n] not in (">", ">>"):
        return False
    after = unit.next(n)
    # "Tile<warpSize>::run", "reduce<float, warpSize>(v)", "Tile<warpSize> tile"
    named_type = unit.tokens.kinds[after] == WORD and texts[unit.previous(k)][0].isupper()
    return texts[after] in ("(", "::", ";", "{") or named_type
