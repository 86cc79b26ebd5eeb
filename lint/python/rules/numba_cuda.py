"""AMD6017: kernels for numba.cuda."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..module import Module
from ..packages import once, optional, required

_NEAR = re.compile(rb"numba\.cuda|numba import")


@rule("AMD6017", triggers={"numba"})
def numba_cuda(module: Module) -> Iterator[Finding]:
    if not module.mentions(_NEAR):
        return
    yield from once(
        module,
        (
            module.report(
                "AMD6017",
                stmt,
                "stock numba has no AMD target: CudaSupportError when a kernel is compiled",
                optional(module, stmt),
            )
            for stmt, _ in required(module, "numba.cuda")
        ),
    )
