"""AMD6105: Python packages that ask the NVIDIA driver about GPUs."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import packages
from ..file import ProjectFile

NAMES = r"nvidia-ml-py3?|pynvml|gpustat|nvitop|py3nvml|nvgpu|gputil"


@rule("AMD6105", triggers={"nvidia", "pynvml", "gpustat", "nvitop", "py3nvml", "nvgpu", "GPUtil", "gputil"})
def nvml_package(file: ProjectFile) -> Iterator[Finding]:
    """Report them unless the Python code around them knows AMD."""
    for requirement in packages.asked(file, NAMES):
        if packages.python_knows_amd(file):
            return
        yield Finding(
            "AMD6105",
            requirement.start,
            requirement.end,
            detail=f"{requirement.name} finds no driver on an AMD machine",
            fix=Fix("display", "ask AMD's library beside it", paste="amdsmi"),
        )
