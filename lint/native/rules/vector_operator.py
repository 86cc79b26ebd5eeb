"""AMD3256: operators of float2, int4 ... that HIP's vector types have already."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..functions import Function
from ..rewrite import only_nvidia
from ..unit import Unit

CODE = "AMD3256"
_VECTOR = re.compile(r"(?:u?(?:char|short|int|long|longlong)|float|double)([234])")
_SCALAR = frozenset(
    {"float", "double", "int", "unsigned", "uint", "char", "short", "long", "const", "uchar", "ushort"}
)
_MEMBERS = "xyzw"
_PASTE = "__device__ float2 complex_mul(float2 a, float2 b);  // a name of its own instead of operator*"
Parameter = tuple[str, str]


@rule(CODE, triggers={f"{t}{n}" for t in ("float", "double", "int", "uint") for n in "234"})
def vector_operator(unit: Unit) -> Iterator[Finding]:
    if unit.amd_native or not unit.has("operator"):
        return
    run: list[Function] = []
    for function in sorted(unit.functions.found, key=lambda f: f.start):
        verdict = _verdict(unit, function) if function.name == "operator" or _operator(unit, function) else ""
        if verdict != "same" or (run and unit.next(run[-1].end) != function.start):
            if run:
                yield _duplicates(unit, run)
            run = []
        if verdict == "same":
            run.append(function)
        elif verdict == "other":
            name = "".join(unit.texts[_operator(unit, function) : function.params])
            yield unit.finding(
                CODE,
                function.start,
                function.params,
                detail=f"HIP's vector types have {name} for each component: the call is ambiguous",
                fix=Fix("display", "a function with a name of its own", paste=_PASTE),
            )
    if run:
        yield _duplicates(unit, run)


def _duplicates(unit: Unit, run: list[Function]) -> Finding:
    """One finding, and one ``#if``, for operators that follow each other."""
    first, last = run[0].start, run[-1].end
    names = "".join(unit.texts[_operator(unit, run[0]) : run[0].params])
    more = f" and {len(run) - 1} more" if len(run) > 1 else ""
    return unit.finding(
        CODE,
        first,
        run[0].params,
        detail=f"HIP's vector types have {names}{more} already: calls are ambiguous",
        fix=Fix("safe", "HIP's own operators on AMD", only_nvidia(unit, first, last)),
    )


def _operator(unit: Unit, function: Function) -> int:
    """The word ``operator`` of an operator function; 0 if it is another function."""
    for i in range(function.params - 1, max(function.start, function.params - 4) - 1, -1):
        if unit.texts[i] == "operator":
            return i
    return 0


def _verdict(unit: Unit, function: Function) -> str:
    """``same``: what HIP has, for each component; ``other``: clashes with HIP's; empty: no clash."""
    at = _operator(unit, function)
    if not at or unit.macro_at(function.start) is not None or not unit.live(function.start):
        return ""
    if not {"__host__", "__device__"} <= set(unit.texts[function.start : at]):
        return ""  # an operator for one side is preferred to HIP's, which are for both
    sign = "".join(unit.texts[at + 1 : function.params])
    if unit.texts[at - 1] == "::":
        return ""
    parameters = [_parameter(unit.texts[a:b]) for a, b in unit.arguments(function.params)]
    if not parameters or any(p is None for p in parameters):
        return ""
    kinds = [p for p in parameters if p is not None]
    vectors = [t for t, _ in kinds if _VECTOR.fullmatch(t)]
    pair = len(kinds) == 2 and len(vectors) == 2 and kinds[0][0] == kinds[1][0]
    # the others of HIP's are templates, to which a plain function is preferred
    if not pair or sign not in ("*", "/", "+=", "-=", "*=", "/="):
        return ""
    return "same" if _componentwise(unit, function, sign, kinds) else "other"


def _parameter(words: list[str]) -> Parameter | None:
    """(type, name) of ``const float2& a``; None for anything else."""
    plain = [w for w in words if w not in ("const", "&")]
    if len(plain) == 2 and (_VECTOR.fullmatch(plain[0]) or plain[0] in _SCALAR):
        return plain[0], plain[1]
    return None


def _componentwise(unit: Unit, function: Function, sign: str, parameters: list[Parameter]) -> bool:
    body = "".join(unit.texts[function.body + 1 : function.end]).replace("return", "return ")
    kind, a = parameters[0]
    found = _VECTOR.fullmatch(kind)
    count = int(found[1]) if found else 0
    members = _MEMBERS[:count]
    b = parameters[1][1]
    if sign in ("*", "/"):
        plain = f"return make_{kind}({','.join(f'{a}.{m}{sign}{b}.{m}' for m in members)});"
        return body == plain
    steps = "".join(f"{a}.{m}{sign}{b}.{m};" for m in members)
    return body in (steps, f"{steps}return {a};")
