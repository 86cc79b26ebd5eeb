"""AMD3235: loads and stores with a cache hint, which HIP does not have."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..lexer import WORD
from ..names import missing_calls
from ..rewrite import pieces
from ..unit import Unit

CODE = "AMD3235"
LOADS = ("__ldcs", "__ldcg", "__ldca", "__ldlu", "__ldcv")
_HALF = frozenset({"__ldcs", "__ldcg", "__ldca"})  # hip_fp16.h has these for half
STORES = ("__stcs", "__stcg", "__stwb", "__stwt")


@rule(CODE, triggers={*LOADS, *STORES})
def cache_hint_intrinsic(unit: Unit) -> Iterator[Finding]:
    for name, call in missing_calls(unit, (*LOADS, *STORES)):
        if name in _HALF and _half_or_template(unit, *call.args[0]):
            continue
        fix = (
            Fix("safe", "an ordinary access on AMD", helpers=(name,))
            if name in pieces()
            else Fix("display", "a volatile access on AMD", paste="*static_cast<const volatile T*>(p)")
        )
        yield unit.finding(
            CODE, call.name, call.close, detail=f"HIP has no {name}; only __ldg exists", fix=fix
        )


def _half_or_template(unit: Unit, first: int, last: int) -> bool:
    """Whether the address is to half, or to a type that the caller chooses."""
    for i in range(first, last):
        if unit.tokens.kinds[i] != WORD:
            continue
        declared = unit.declared(unit.texts[i], i)
        if declared is None:
            return False
        words = unit.texts[declared[0] : declared[1]]
        function = unit.function(i)
        head = unit.texts[function.start : function.params] if function is not None else []
        parameters = {head[k + 1] for k in range(len(head) - 1) if head[k] in ("typename", "class")}
        return any(w in ("half", "__half", "half2", "__half2") or w in parameters for w in words)
    return False
