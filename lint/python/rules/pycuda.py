"""AMD6018: PyCUDA."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..module import Module
from ..packages import once, optional, required


@rule("AMD6018", triggers={"pycuda"})
def pycuda(module: Module) -> Iterator[Finding]:
    yield from once(
        module,
        (
            module.report("AMD6018", stmt, "PyCUDA binds the NVIDIA driver and nvcc", optional(module, stmt))
            for stmt, _ in required(module, "pycuda")
        ),
    )
