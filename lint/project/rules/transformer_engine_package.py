"""AMD6107: Transformer Engine from PyPI."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import packages
from ..file import ProjectFile

NAMES = r"transformer-engine(?:-cu\d\d|-torch|-jax)?"


@rule(
    "AMD6107",
    triggers={"transformer", "transformer_engine", "transformer_engine_torch", "transformer_engine_cu12"},
)
def transformer_engine_package(file: ProjectFile) -> Iterator[Finding]:
    """Report the NVIDIA package; the ROCm fork is installed from its repository."""
    for requirement in packages.asked(file, NAMES):
        if "ROCm/" in requirement.url:
            continue
        yield Finding(
            "AMD6107",
            requirement.start,
            requirement.end,
            detail="needs CUDA and cuDNN",
            fix=Fix(
                "display",
                "on AMD install the ROCm fork, or use float8 of torchao",
                paste="NVTE_FRAMEWORK=pytorch pip install --no-build-isolation git+https://github.com/ROCm/TransformerEngine.git",
            ),
        )
