"""AMD6011: xformers imported without another choice."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..module import Module
from ..packages import once, optional, required


@rule("AMD6011", triggers={"xformers"})
def xformers_required(module: Module) -> Iterator[Finding]:
    yield from once(
        module,
        (
            module.report(
                "AMD6011",
                stmt,
                "the wheel on PyPI is for CUDA; the ROCm one is experimental and on another index",
                optional(module, stmt),
            )
            for stmt, _ in required(module, "xformers")
        ),
    )
