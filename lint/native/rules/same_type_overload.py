"""AMD2215: two overloads whose CUDA types are one and the same type in HIP."""

from __future__ import annotations

from collections.abc import Iterator

from ....kb.facts.cuda import cuda_name
from ...finding import Finding, Fix
from ...rules import rule
from ..functions import Function
from ..rewrite import only_nvidia
from ..unit import Unit

CODE = "AMD2215"
# Pairs of the driver and the runtime interface: one type in HIP.
_DRIVER = {"CUresult", "CUstream", "CUevent", "CUdevice", "CUarray", "CUmipmappedArray", "CUtexObject", "CUsurfObject"}  # fmt: skip


@rule(CODE, triggers=_DRIVER)
def same_type_overload(unit: Unit) -> Iterator[Finding]:
    if unit.amd_native or unit.build not in ("nvcc", "torch"):
        return
    seen: dict[tuple[str, ...], Function] = {}
    for function in sorted(unit.functions.found, key=lambda f: f.start):
        close = unit.tokens.match.get(function.params)
        if close is None or unit.truth(function.start) is False:
            continue
        types = unit.texts[function.params : close]
        in_hip = tuple(_hip(t) for t in types)
        key = (function.name, *(t for t in in_hip))
        earlier = seen.setdefault(key, function)
        if earlier is function or not _DRIVER & {
            *types,
            *unit.texts[earlier.params : unit.tokens.match[earlier.params]],
        }:
            continue
        if unit.texts[earlier.params : unit.tokens.match[earlier.params]] == types:
            continue
        last = function.end
        fix = Fix("safe", "one of the two on AMD", only_nvidia(unit, function.start, last))
        detail = f"{function.name} has an overload whose parameters are the same types in HIP"
        yield unit.finding(CODE, function.start, close, detail=detail, fix=fix)


def _hip(word: str) -> str:
    row = cuda_name(word) if word.startswith(("cu", "CU")) else None
    return row.hip if row is not None and row.hip else word
