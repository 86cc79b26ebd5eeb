"""AMD6014: FlashInfer from PyPI is built for CUDA."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..module import Module
from ..packages import once, optional, required


@rule("AMD6014", triggers={"flashinfer"})
def flashinfer(module: Module) -> Iterator[Finding]:
    yield from once(
        module,
        (
            module.report(
                "AMD6014", stmt, "the wheel on PyPI holds CUDA kernels only", optional(module, stmt)
            )
            for stmt, _ in required(module, "flashinfer")
        ),
    )
