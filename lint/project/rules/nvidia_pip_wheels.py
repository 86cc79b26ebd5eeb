"""AMD8102: CUDA libraries listed as pip wheels (nvidia-cublas-cu12 and its kin)."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import edits, packages
from ..file import ProjectFile

LIBRARIES = (
    "cublas", "cuda-cupti", "cuda-nvrtc", "cuda-runtime", "cudnn", "cufft", "cufile", "curand", "cusolver", "cusparse",
    "cusparselt", "nccl", "nvjitlink", "nvshmem", "nvtx", "cuda-nvcc", "cuda-cccl",
)  # fmt: skip
NAMES = rf"nvidia-(?:{'|'.join(LIBRARIES)})(?:-cu\d\d)?"


@rule("AMD8102", triggers={"nvidia"})
def nvidia_pip_wheels(file: ProjectFile) -> Iterator[Finding]:
    """Report each wheel; PyTorch brings the ones it needs by itself."""
    for requirement in packages.asked(file, NAMES):
        edit = edits.remove(file, requirement)
        fix = Fix(
            "unsafe",
            "leave it to the CUDA build of PyTorch, which requires it by itself",
            (edit,) if edit else (),
            reason="a lock file that is installed without dependencies needs the line on NVIDIA",
        )
        yield Finding(
            "AMD8102", requirement.start, requirement.end, detail="no use on AMD", fix=fix if edit else None
        )
