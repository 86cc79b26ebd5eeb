"""AMD7101: a PyTorch image, or another image whose tag says so, that holds a CUDA build."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from .. import images
from ..file import ProjectFile
from .cuda_wheel_index import CUDA_VERSIONS
from .nvidia_base_image import portable_base


@rule(
    "AMD7101", triggers={"pytorch", "cuda", "cuda11", "cuda12", "cuda13"} | {f"cu{v}" for v in CUDA_VERSIONS}
)
def pytorch_cuda_image(file: ProjectFile) -> Iterator[Finding]:
    """Report pytorch/pytorch and images with cuda or cuXXX in their tag."""
    for use in images.uses(file):
        if images.kind_of_image(use.image) in ("pytorch", "tagged"):
            yield Finding("AMD7101", use.start, use.end, detail="a CUDA build", fix=portable_base(file, use))
