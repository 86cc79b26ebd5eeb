"""AMD6026: NVIDIA DALI."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..module import Module
from ..packages import once, optional, required

_NEAR = re.compile(rb"nvidia\.dali|nvidia import")


@rule("AMD6026", triggers={"nvidia"})
def nvidia_dali(module: Module) -> Iterator[Finding]:
    if not module.mentions(_NEAR):
        return
    yield from once(
        module,
        (
            module.report("AMD6026", stmt, "DALI exists for NVIDIA only", optional(module, stmt))
            for stmt, _ in required(module, "nvidia.dali")
        ),
    )
