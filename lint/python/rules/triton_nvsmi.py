"""AMD3012: helpers of triton.testing that ask nvidia-smi or know NVIDIA cards only."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..module import Module

_HELPERS = ("nvsmi", "set_gpu_clock", "get_max_tensorcore_tflops", "get_max_simd_tflops")
_NEAR = (b"triton",)


@rule("AMD3012", triggers=set(_HELPERS))
def triton_nvsmi(module: Module) -> Iterator[Finding]:
    if not module.holds(*_NEAR):
        return
    for call in module.calls(*(f"triton.testing.{h}" for h in _HELPERS)):
        if not module.guarded(call) and not module.tried(call, "OSError"):
            yield module.report("AMD3012", call, "runs nvidia-smi or counts the units of an NVIDIA card")
