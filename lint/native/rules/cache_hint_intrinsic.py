"""AMD3235: loads and stores with a cache hint, which HIP does not have."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..names import missing_calls
from ..rewrite import pieces
from ..unit import Unit

CODE = "AMD3235"
LOADS = ("__ldcs", "__ldcg", "__ldca", "__ldlu", "__ldcv")
STORES = ("__stcs", "__stcg", "__stwb", "__stwt")


@rule(CODE, triggers={*LOADS, *STORES})
def cache_hint_intrinsic(unit: Unit) -> Iterator[Finding]:
    for name, call in missing_calls(unit, (*LOADS, *STORES)):
        fix = (
            Fix("safe", "an ordinary access on AMD", helpers=(name,))
            if name in pieces()
            else Fix("display", "a volatile access on AMD", paste="*static_cast<const volatile T*>(p)")
        )
        yield unit.finding(CODE, call.name, call.close, detail=f"HIP has no {name}; only __ldg exists", fix=fix)
