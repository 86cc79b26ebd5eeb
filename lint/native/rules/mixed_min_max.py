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
        fix = Fix(
            "safe", "both unsigned, as CUDA does", (Edit(start, end, f"static_cast<unsigned>({text})"),)
        )
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
            if not _is_int(unit, text, i) or unit.texts[i + 1] in ("(", "[", ".", "->"):
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


def _is_int(unit: Unit, name: str, at: int) -> bool:
    """Whether the function declares the name, as ``int`` and nothing else."""
    function = unit.function(at)
    texts = unit.texts
    before = [
        texts[k - 1]
        for k in unit.tokens.words.get(name, ())
        if function is not None
        and function.start < k < at
        and unit.tokens.kinds[k - 1] == WORD
        and texts[k - 1] not in ("return", "case", "else")
        and texts[k + 1] in (",", ")", "=", ";", ":", "{")
    ]
    plain = all(
        texts[k - 2] not in ("unsigned", "long", "short")
        for k in unit.tokens.words.get(name, ())
        if texts[k - 1] == "int"
    )
    return bool(before) and set(before) == {"int"} and plain
