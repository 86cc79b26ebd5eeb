"""AMD6210: thrust/system/cuda headers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..names import at_include, includes, missing_words
from ..unit import Unit

CODE = "AMD6210"
_HEADER = re.compile(r"thrust/system/cuda/.+\.h")
_NAMES = re.compile(r"(?!)")


@rule(CODE, triggers={"thrust"})
def thrust_cuda(unit: Unit) -> Iterator[Finding]:
    fix = Fix(
        "display",
        "allocate without thrust's CUDA back end",
        paste="cudaHostAlloc(&p, bytes, cudaHostAllocDefault);  // or torch.Tensor.pin_memory()",
    )
    for name, directive in includes(unit, _HEADER):
        yield at_include(
            unit,
            CODE,
            directive,
            f"hipify makes it thrust/system/hip/..., where rocThrust has no such header: {name}",
            fix,
        )
    for i in missing_words(unit, _NAMES):
        yield unit.finding(CODE, i, detail="", fix=fix)
