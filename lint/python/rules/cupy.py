"""AMD6016: CuPy from PyPI is built for CUDA."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..module import Module
from ..packages import once, optional, required


@rule("AMD6016", triggers={"cupy", "cupyx"})
def cupy(module: Module) -> Iterator[Finding]:
    yield from once(
        module,
        (
            module.report(
                "AMD6016", stmt, "the cupy-cuda wheels of PyPI cannot load on ROCm", optional(module, stmt)
            )
            for stmt, _ in required(module, "cupy", "cupyx")
        ),
    )
