"""AMD6112: Python bindings of the CUDA driver and compiler."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from .. import packages
from ..file import ProjectFile

NAMES = r"cuda-python|cuda-bindings|cuda-core|pycuda|nvidia-cutlass(?:-dsl)?|cutlass|pynvrtc|nvidia-cuda-nvrtc|cuda-tile|nvmath-python"


@rule("AMD6112", triggers={"cuda", "pycuda", "nvidia", "nvmath", "cuda_python"})
def cuda_python_package(file: ProjectFile) -> Iterator[Finding]:
    """Report them."""
    for requirement in packages.asked(file, NAMES):
        if requirement.name in ("nvidia-cuda-nvrtc", "cutlass"):
            continue
        yield Finding(
            "AMD6112",
            requirement.start,
            requirement.end,
            detail=f"{requirement.name} talks to the NVIDIA driver",
        )
