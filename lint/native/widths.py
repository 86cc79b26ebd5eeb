"""How wide an integer expression is: 32 or 64 bits, on AMD."""

from __future__ import annotations

from .lexer import NUMBER, WORD
from .unit import Unit

_WIDE = frozenset(
    [
        "uint64_t",
        "int64_t",
        "size_t",
        "ptrdiff_t",
        "u64",
        "ulong",
        "lanemask_t",
        "hipLaneMask",
        "unsigned_long_long",
        "LaneMask",
        "lane_mask_t",
    ]
)
_NARROW = frozenset(
    [
        "int",
        "unsigned",
        "uint",
        "uint32_t",
        "int32_t",
        "short",
        "char",
        "bool",
        "uint8_t",
        "int8_t",
        "uint16_t",
        "int16_t",
        "u32",
        "float",
        "half",
        "unsigned_int",
    ]
)
_WIDE_CALLS = frozenset(
    [
        "__ballot",
        "__ballot64",
        "__ballot_sync",
        "__activemask",
        "__match_any",
        "__match_any_sync",
        "__match_all",
        "__match_all_sync",
        "__lanemask_lt",
        "__lanemask_gt",
        "clock64",
        "wall_clock64",
        "__brevll",
        "__popcll_mask",
        "WARP_BALLOT",
        "ballot",
    ]
)
_NARROW_CALLS = frozenset(
    ["__popc", "__popcll", "__ffs", "__ffsll", "__clz", "__clzll", "__brev", "threadIdx", "min", "max"]
)


def type_width(unit: Unit, first: int, last: int) -> int | None:
    """Width of the type spelt by the tokens ``[first, last)``."""
    words = [
        t
        for t in unit.texts[first:last]
        if t
        not in (
            "const",
            "constexpr",
            "static",
            "volatile",
            "std",
            "::",
            "&",
            "inline",
            "struct",
            "__restrict__",
        )
    ]
    if "*" in words:
        return 64
    if words.count("long"):
        return 64  # Linux: long is 64 bits as well
    if any(w in _WIDE for w in words):
        return 64
    if words and words[-1] in _NARROW:
        return 32
    return None


def bits(unit: Unit, first: int, last: int, depth: int = 0) -> int | None:
    """Width of the expression in the tokens ``[first, last)``; None when it cannot be told."""
    texts, kinds, match = unit.texts, unit.tokens.kinds, unit.tokens.match
    while last - first > 2 and texts[first] == "(" and match.get(first) == last - 1:
        first, last = first + 1, last - 1
    if first >= last or depth > 8:
        return None
    # a cast in front decides
    if texts[first] == "(" and first in match and match[first] + 1 < last:
        close = match[first]
        width = type_width(unit, first + 1, close)
        if width and all(kinds[i] == WORD or texts[i] in ("::", "*") for i in range(first + 1, close)):
            return width if _operand_end(unit, close + 1, last) == last else _binary(unit, first, last, depth)
    return _binary(unit, first, last, depth)


def _binary(unit: Unit, first: int, last: int, depth: int) -> int | None:
    """Split at operators of the top level; shifts take the width of their left side."""
    texts, match = unit.texts, unit.tokens.match
    parts: list[tuple[int, int]] = []
    start = i = first
    skip = False
    compared = False
    while i < last:
        t = texts[i]
        if t in ("(", "[", "{") and i in match:
            i = match[i]
        elif (
            t == "<"
            and unit.tokens.kinds[i - 1] == WORD
            and texts[i - 1] in ("static_cast", "reinterpret_cast", "numeric_limits", "tiled_partition")
        ):
            while i < last and texts[i] != ">":
                i += 1
        elif t in ("==", "!=", "<", ">", "<=", ">=", "&&", "||"):
            compared = True
        elif t == "?":
            parts, start = [], i + 1  # the condition does not count
        elif t in ("<<", ">>"):
            if not skip:
                parts.append((start, i))
            skip = True
        elif t in ("+", "-", "*", "/", "%", "&", "|", "^", ":") and i > start:
            if not skip:
                parts.append((start, i))
            start, skip = i + 1, False
        i += 1
    if compared:
        return 32
    if not skip:
        parts.append((start, last))
    if len(parts) == 1 and parts[0] == (first, last):
        return _operand(unit, first, last, depth)
    widths = [bits(unit, a, b, depth + 1) for a, b in parts]
    if 64 in widths:
        return 64
    return None if None in widths or not widths else 32


def _operand_end(unit: Unit, i: int, last: int) -> int:
    """The token after the operand that starts at ``i``."""
    texts, match = unit.texts, unit.tokens.match
    while i < last and texts[i] in ("~", "-", "!", "+", "*", "&"):
        i += 1
    if i < last and texts[i] == "(" and i in match:
        return min(last, match[i] + 1)
    i += 1
    while i < last and (texts[i] in ("::", ".", "->", "(", "[") or texts[i - 1] in ("::", ".", "->")):
        i = match[i] + 1 if texts[i] in ("(", "[") and i in match else i + 1
    return i


def _operand(unit: Unit, first: int, last: int, depth: int) -> int | None:
    texts, kinds = unit.texts, unit.tokens.kinds
    while first < last and texts[first] in ("~", "-", "+"):
        first += 1
    if first >= last:
        return None
    t = texts[first]
    if t == "(":
        return bits(unit, first, last, depth + 1)
    if kinds[first] == NUMBER and last == first + 1:
        low = t.lower()
        if any(c in low for c in ".") or (not low.startswith("0x") and low.endswith("f")):
            return None
        if low.rstrip("ul").__len__() and "l" in low[-3:]:
            return 64
        from .preprocess import number

        value = number(t)
        return None if value is None else (64 if value > 0xFFFFFFFF else 32)
    if kinds[first] != WORD:
        return None
    if t in ("static_cast", "reinterpret_cast") and texts[first + 1] == "<":
        close = first + 2
        while close < last and texts[close] != ">":
            close += 1
        return type_width(unit, first + 2, close)
    if t in ("true", "false", "sizeof"):
        return 32 if t != "sizeof" else 64
    call = unit.call(first)
    if call is not None and call.close == last - 1:
        width = type_width(unit, first, call.open)
        if width:
            return width
        for macro in unit.pre.macros.get(t, ()):
            if macro.params is not None and macro.amd is not False:
                return bits(unit, macro.first, macro.last, depth + 1)
        if t in _WIDE_CALLS:
            return 64
        return 32 if t in _NARROW_CALLS else None
    if last != first + 1:
        if t == "std" and "numeric_limits" in texts[first:last]:
            return 64 if any(w in _WIDE or w == "long" for w in texts[first:last]) else 32
        if t == "threadIdx" or t == "blockDim" or t == "blockIdx":
            return 32
        return None
    if t in ("warpSize", "threadIdx"):
        return 32
    return name_width(unit, t, first, depth)


def name_width(unit: Unit, name: str, at: int, depth: int = 0) -> int | None:
    """Width of a named constant, macro, local variable or parameter."""
    declared = unit.declared(name, at)
    if declared is not None:
        first, token, after = declared
        width = type_width(unit, first, token)
        if width is None and "auto" in unit.texts[first:token] and unit.texts[after] == "=":
            end = after + 1
            while end < len(unit.texts) and unit.texts[end] not in (";", ","):
                end = unit.tokens.match.get(end, end) + 1 if unit.texts[end] in ("(", "[", "{") else end + 1
            return bits(unit, after + 1, end, depth + 1)
        return width
    widths: set[int | None] = set()
    for owner in (unit, *unit.headers):
        for macro in owner.pre.macros.get(name, ()):
            if macro.params is None and macro.amd is not False and macro.first < macro.last:
                widths.add(bits(owner, macro.first, macro.last, depth + 1))
        for token, first, last in owner.constants.get(name, ()):
            if owner.live(token):
                start = owner._type_start(token)
                width = type_width(owner, start, token) if start is not None else None
                widths.add(width or bits(owner, first, last, depth + 1))
        if widths:
            break
    return next(iter(widths)) if len(widths) == 1 else None
