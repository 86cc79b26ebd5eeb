"""AMD6102: xFormers from PyPI."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import packages
from ..file import ProjectFile


@rule("AMD6102", triggers={"xformers"})
def xformers_package(file: ProjectFile) -> Iterator[Finding]:
    """Report it unless the file takes it from a ROCm index or from source."""
    for requirement in packages.asked(file, "xformers"):
        if requirement.url and not requirement.url.endswith(".whl"):
            continue
        yield Finding(
            "AMD6102",
            requirement.start,
            requirement.end,
            detail="the wheel on PyPI is a CUDA build pinned to a CUDA PyTorch",
            fix=Fix(
                "display",
                "on AMD use scaled_dot_product_attention, or the experimental ROCm wheel",
                paste="pip install xformers --index-url https://download.pytorch.org/whl/rocm7.1",
            ),
        )
