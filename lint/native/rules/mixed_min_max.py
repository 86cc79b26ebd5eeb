"""AMD3259: min or max of a signed and an unsigned integer as an index: a double in HIP."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from ..lexer import NUMBER, WORD
from ..unit import Unit

CODE = "AMD3259"
_COORDINATES = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim"})
_OPERATORS = frozenset("+-*/%()")


@rule(CODE, triggers={"min", "max"})
def mixed_min_max(unit: Unit) -> Iterator[Finding]:
    if not unit.has(*_COORDINATES):
        return
    for call in unit.calls("min", "max"):
        if len(call.args) != 2 or not unit.in_device(call.name) or unit.texts[call.name - 1] != "[":
            continue
        kinds = [_kind(unit, first, last) for first, last in call.args]
        if sorted(kinds) != ["int", "unsigned"] or unit.provided(unit.texts[call.name]):
            continue
        first, last = call.args[kinds.index("int")]
        start, end = unit.span(first, last - 1)
        text = unit.slice(first, last)
        fix = Fix("safe", "both unsigned, as CUDA does", (Edit(start, end, f"static_cast<unsigned>({text})"),))
        detail = f"HIP's {unit.texts[call.name]} of int and unsigned is a double, which is no index"
        yield unit.finding(CODE, call.name, call.close, detail=detail, fix=fix)


def _kind(unit: Unit, first: int, last: int) -> str:
    """``int`` or ``unsigned`` for sums and products of int variables, plain numbers and thread coordinates."""
    found = ""
    i = first
    while i < last:
        text = unit.texts[i]
        if text in _COORDINATES and unit.texts[i + 1] == ".":
            found, i = "unsigned", i + 3
            continue
        if unit.tokens.kinds[i] == WORD:
            declared = unit.declared(text, i)
            kind = unit.texts[declared[0] : declared[1]] if declared else []
            if [k for k in kind if k != "const"] != ["int"] or unit.texts[i + 1] in ("(", "[", ".", "->"):
                return ""
            found = found or "int"
        elif unit.tokens.kinds[i] == NUMBER:
            if not text.isdigit():
                return ""
            found = found or "int"
        elif text not in _OPERATORS:
            return ""
        i += 1
    return found
