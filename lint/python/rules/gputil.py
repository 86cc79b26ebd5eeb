"""AMD6003: GPUtil sees NVIDIA cards only."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..module import Module
from ..packages import optional, required


@rule("AMD6003", triggers={"GPUtil"})
def gputil(module: Module) -> Iterator[Finding]:
    for stmt, _ in required(module, "GPUtil"):
        yield module.report(
            "AMD6003", stmt, "GPUtil runs nvidia-smi: it finds no AMD GPU", optional(module, stmt)
        )
