"""AMD2210: cudaStreamPerThread and cudaStreamLegacy."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..unit import Unit

CODE = "AMD2210"


@rule(CODE, triggers={"cudaStreamPerThread", "cudaStreamLegacy"})
def stream_per_thread(unit: Unit) -> Iterator[Finding]:
    for name in ("cudaStreamPerThread", "cudaStreamLegacy"):
        if not unit.has(name) or unit.provided(name):
            continue
        for i in unit.words(name):
            fix = (
                Fix("safe", "hipStreamPerThread on AMD", helpers=("cudaStreamPerThread=hipStreamPerThread",))
                if name == "cudaStreamPerThread"
                else Fix("safe", "the default stream on AMD", helpers=("cudaStreamLegacy=nullptr",))
            )
            yield unit.finding(CODE, i, detail=f"hipify does not map {name}", fix=fix)
