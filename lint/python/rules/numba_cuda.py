"""AMD6017: kernels for numba.cuda."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..module import Module
from ..packages import required


@rule("AMD6017", triggers={"numba"})
def numba_cuda(module: Module) -> Iterator[Finding]:
    for stmt, _ in required(module, "numba.cuda"):
        yield module.report(
            "AMD6017", stmt, "stock numba has no AMD target: CudaSupportError when a kernel is compiled"
        )
