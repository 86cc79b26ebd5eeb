"""AMD1200: prop.major is the gfx number on AMD."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..lexer import NUMBER, WORD
from ..rewrite import skip_statement
from ..unit import Unit

CODE = "AMD1200"
_PROPERTIES = frozenset({"cudaDeviceProp", "hipDeviceProp_t"})


@rule(CODE, triggers={"major", "cudaDevAttrComputeCapabilityMajor"})
def compute_capability(unit: Unit) -> Iterator[Finding]:
    texts = unit.texts
    for i in unit.words("major"):
        if texts[unit.previous(i)] not in (".", "->") or not _is_property(
            unit, unit.previous(unit.previous(i))
        ):
            continue
        compare = _comparison(unit, i)
        if compare is None or _is_check(unit, i):
            continue
        first, last = compare
        detail = f"{unit.slice(first, last + 1)}: AMD answers with the gfx number (9.4 for MI300, 11.0 for RX 7900)"
        yield unit.finding(CODE, first, last, detail=detail, fix=for_nvidia(unit, i))


def _is_property(unit: Unit, i: int) -> bool:
    """Whether the object is a cudaDeviceProp: a variable of that type, or ATen's current properties."""
    texts = unit.texts
    if texts[i] == ")" and i in unit.tokens.match:
        return texts[unit.previous(unit.tokens.match[i])] in (
            "getCurrentDeviceProperties",
            "getDeviceProperties",
        )
    if unit.tokens.kinds[i] != WORD:
        return False
    declared = unit.declared(texts[i], i)
    if declared is None:
        return any(
            texts[k - 1] in _PROPERTIES or (texts[k - 1] in ("*", "&") and texts[k - 2] in _PROPERTIES)
            for k in unit.tokens.words[texts[i]]
            if k > 2
        )
    kind = texts[declared[0] : declared[2] + 8]
    return any(t in _PROPERTIES or t in ("getCurrentDeviceProperties", "getDeviceProperties") for t in kind)


def _comparison(unit: Unit, i: int) -> tuple[int, int] | None:
    """``x.major >= 9``, ``x.major * 10 + x.minor >= 80``: (first, last) tokens; None where nothing newer is chosen."""
    texts = unit.texts
    n = unit.next(i)
    steps = 0
    while texts[n] in ("*", "+", ".", "->", "minor") or unit.tokens.kinds[n] in (NUMBER, WORD):
        if texts[n] in ("&&", "||"):
            return None
        n, steps = unit.next(n), steps + 1
        if steps > 12:
            return None
    if texts[n] not in (">=", ">", "=="):
        return None
    last = unit.next(n)
    bound = unit.value(last, last + 1)
    if bound is None:
        return None
    major = bound // 10 if bound >= 20 else bound
    # AMD answers 9 to 12; what asks for less than tensor cores is met by every card and does no harm
    if not (9 <= major <= 12 if texts[n] == "==" else major + (texts[n] == ">") >= 7):
        return None
    first = unit.previous(unit.previous(i))
    if texts[first] == ")":
        first = unit.previous(unit.tokens.match[first])
        while texts[unit.previous(first)] == "::":
            first = unit.previous(unit.previous(first))
    return first, last


def _is_check(unit: Unit, i: int) -> bool:
    """A demand for a minimum ("needs sm_80 or newer") is met by accident and does no harm."""
    p = i
    for _ in range(24):
        p = unit.previous(p)
        if p < 0 or unit.texts[p] in (";", "{", "}"):
            return False
        if unit.texts[p] == "(" and ("CHECK" in unit.texts[p - 1] or "assert" in unit.texts[p - 1].lower()):
            return True
    return False


def for_nvidia(unit: Unit, i: int) -> Fix:
    """Keep an ``if`` that chooses a newer path for NVIDIA."""
    display = Fix(
        "display",
        "ask AMD for gcnArchName",
        paste=f"{unit.if_amd}\n  // prop.gcnArchName: gfx90a, gfx942, gfx1100 ...\n#else\n  if (prop.major >= 9) {{ ... }}\n#endif",
    )
    texts = unit.texts
    p = i
    depth = 0
    while p > 0 and depth < 40:
        p, depth = unit.previous(p), depth + 1
        if texts[p] in (";", "{", "}"):
            return display
        if texts[p] == "(" and texts[unit.previous(p)] == "if":
            first = unit.previous(p)
            edits = skip_statement(unit, first)
            return Fix("safe", "keep the branch for NVIDIA", edits) if edits else display
    return display
