"""AMD3229: atomicAdd on half, half2 or bf16."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..lexer import WORD
from ..unit import Call, Unit

CODE = "AMD3229"
_SCALAR = re.compile(r"__half|half|__nv_bfloat16|nv_bfloat16|__hip_bfloat16|hip_bfloat16")
_PAIR = re.compile(r"__half2|half2|__nv_bfloat162|nv_bfloat162|__hip_bfloat162")
_MAKES_SCALAR = frozenset(
    [
        "__float2half",
        "__float2half_rn",
        "__float2bfloat16",
        "__float2bfloat16_rn",
        "__hadd",
        "__hmul",
        "__hsub",
        "__hneg",
        "__int2half_rn",
    ]
)
_MAKES_PAIR = frozenset(
    [
        "__floats2half2_rn",
        "__float22half2_rn",
        "__halves2half2",
        "__half2half2",
        "__floats2bfloat162_rn",
        "__halves2bfloat162",
        "__hmul2",
        "__hadd2",
        "__float2half2_rn",
    ]
)


@rule(CODE, triggers={"atomicAdd"})
def half_atomic_add(unit: Unit) -> Iterator[Finding]:
    if unit.provided("atomicAdd"):
        return
    for call in unit.calls("atomicAdd"):
        if len(call.args) != 2 or unit.macro_at(call.name) is not None:
            continue
        kind = _kind(unit, call)
        if not kind:
            continue
        helper = "atomic_add_2x16" if kind == "pair" else "atomic_add_16"
        fix = Fix(
            "safe",
            "a compare-and-swap loop on AMD",
            (unit.edit(call.name, call.name, helper),),
            helpers=(helper,),
        )
        if unit.amd_only(call.name):
            fix = Fix(
                "display",
                "a compare-and-swap loop, or unsafeAtomicAdd where the memory is coarse-grained",
                paste="unsafeAtomicAdd(address, value)",
            )
        yield unit.finding(
            CODE,
            call.name,
            call.close,
            detail="HIP has no atomicAdd for 16-bit floating point up to ROCm 7.2",
            fix=fix,
        )


def _kind(unit: Unit, call: Call) -> str:
    """``pair``, ``scalar`` or nothing: what the call adds, as far as types can be read."""
    texts = unit.texts
    maker = texts[call.args[1][0]]
    if maker in _MAKES_PAIR:
        return "pair"
    if maker in _MAKES_SCALAR:
        return "scalar"
    for a, b in call.args:
        for i in range(a, b):
            if _PAIR.fullmatch(texts[i]) and i + 1 < b and texts[i + 1] in ("*", "(", ">", ")", "{"):
                return "pair"
            if _SCALAR.fullmatch(texts[i]) and i + 1 < b and texts[i + 1] in ("*", "(", ">", ")", "{"):
                return "scalar"
        i = a + 1 if texts[a] == "&" else a
        declared = unit.declared(texts[i], i) if unit.tokens.kinds[i] == WORD else None
        if declared is not None:
            for word in texts[declared[0] : declared[1]]:
                if _PAIR.fullmatch(word):
                    return "pair"
                if _SCALAR.fullmatch(word):
                    return "scalar"
    return ""
