"""AMD8003: library folders of the nvidia-* wheels."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..module import Module
from ..packages import required

_PACKAGES = (
    "nvidia.cudnn",
    "nvidia.cublas",
    "nvidia.cuda_runtime",
    "nvidia.nccl",
    "nvidia.cuda_nvrtc",
    "nvidia.cusparse",
    "nvidia.cufft",
    "nvidia.curand",
)


@rule("AMD8003", triggers={p.partition(".")[2] for p in _PACKAGES})
def nvidia_pip_libraries(module: Module) -> Iterator[Finding]:
    for stmt, dotted in required(module, *_PACKAGES):
        yield module.report("AMD8003", stmt, f"{dotted} comes with CUDA wheels of torch only")
