"""AMD6015: packages made of Hopper or Blackwell instructions."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..module import Module
from ..packages import once, optional, required


@rule(
    "AMD6015",
    triggers={"deep_gemm", "deep_ep", "flash_mla"},
)
def hopper_only_package(module: Module) -> Iterator[Finding]:
    yield from once(
        module,
        (
            module.report(
                "AMD6015",
                stmt,
                "made of Hopper instructions: there is no build for AMD",
                optional(module, stmt),
            )
            for stmt, _ in required(module, "deep_gemm", "deep_ep", "flash_mla")
        ),
    )
