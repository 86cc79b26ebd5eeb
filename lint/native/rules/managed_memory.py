"""AMD3252: managed memory, which migrates on AMD only with XNACK."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..names import missing_calls
from ..unit import Unit

CODE = "AMD3252"
NAMES = ("cudaMallocManaged", "cudaMemAdvise", "cudaMemPrefetchAsync", "hipMallocManaged")


@rule(CODE, triggers={*NAMES, "__managed__"})
def managed_memory(unit: Unit) -> Iterator[Finding]:
    if unit.ported:
        return
    for name, call in missing_calls(unit, NAMES):
        yield unit.finding(
            CODE,
            call.name,
            call.close,
            detail=f"{name}: without XNACK the pages stay in host memory and every access crosses the bus",
            fix=Fix(
                "display",
                "device memory and explicit copies",
                paste="cudaMalloc(&p, bytes);\ncudaMemcpyAsync(p, host, bytes, cudaMemcpyHostToDevice, stream);",
            ),
            targets=("gfx90a", "gfx942", "rdna"),
        )
