"""AMD6109: vLLM from PyPI."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import packages
from ..file import ProjectFile

NAMES = r"vllm"


@rule("AMD6109", triggers={"vllm"})
def vllm_pypi_package(file: ProjectFile) -> Iterator[Finding]:
    """Report it unless the ROCm wheel index is asked for."""
    for requirement in packages.asked(file, NAMES):
        if requirement.url or "rocm" in requirement.spec or packages.only_editable(file, requirement):
            continue
        yield Finding(
            "AMD6109",
            requirement.start,
            requirement.end,
            detail="the wheel on PyPI is a CUDA build and brings a CUDA PyTorch",
            fix=Fix(
                "display",
                "on AMD install from vLLM's ROCm index",
                paste="uv pip install vllm --extra-index-url https://wheels.vllm.ai/rocm/",
            ),
        )
