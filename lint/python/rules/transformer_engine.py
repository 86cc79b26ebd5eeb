"""AMD6013: Transformer Engine from PyPI is built for CUDA."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..module import Module
from ..packages import once, optional, required


@rule("AMD6013", triggers={"transformer_engine", "transformer_engine_torch"})
def transformer_engine(module: Module) -> Iterator[Finding]:
    yield from once(
        module,
        (
            module.report(
                "AMD6013",
                stmt,
                "the wheel on PyPI is for CUDA; AMD has a fork that is built from source",
                optional(module, stmt),
            )
            for stmt, _ in required(module, "transformer_engine", "transformer_engine_torch")
        ),
    )
