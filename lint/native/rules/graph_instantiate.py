"""AMD2209: cudaGraphInstantiate with three arguments."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..unit import Unit

CODE = "AMD2209"


@rule(CODE, triggers={"cudaGraphInstantiate"})
def graph_instantiate(unit: Unit) -> Iterator[Finding]:
    if unit.provided("cudaGraphInstantiate"):
        return
    for call in unit.calls("cudaGraphInstantiate"):
        if len(call.args) not in (2, 3):
            continue
        edits = [unit.edit(call.name, call.name, "cudaGraphInstantiateWithFlags")]
        if len(call.args) == 2:
            fix = Fix("display", "name the flags", paste="cudaGraphInstantiateWithFlags(&exec, graph, 0)")
        else:
            fix = Fix("safe", "the form with flags, which CUDA 11.4 and HIP share", tuple(edits))
        yield unit.finding(
            CODE,
            call.name,
            call.close,
            detail=f"HIP's function takes five arguments, not {len(call.args)}",
            fix=fix,
        )
