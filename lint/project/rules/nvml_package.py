"""AMD6105: Python packages that ask the NVIDIA driver about GPUs."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import edits, packages
from ..file import ProjectFile

NAMES = r"nvidia-ml-py3?|pynvml|gpustat|nvitop|py3nvml|nvgpu|gputil"


@rule("AMD6105", triggers={"nvidia", "pynvml", "gpustat", "nvitop", "py3nvml", "nvgpu", "GPUtil", "gputil"})
def nvml_package(file: ProjectFile) -> Iterator[Finding]:
    """Report them unless the Python code around them knows AMD."""
    found = list(packages.asked(file, NAMES))
    if not found or packages.python_knows_amd(file):
        return
    fix = Fix("display", "ask for AMD's library beside it", paste="amdsmi")
    first = found[0]
    if first.form == "line" and "\\" not in file.source.line(file.source.position(first.start)[0]):
        fix = Fix(
            "unsafe",
            "ask for AMD's library beside it",
            (edits.line_after(file, first.end, "amdsmi"),),
            reason="NVIDIA machines install a package that they do not use, and the code has to call it on AMD",
        )
    for requirement in found:
        yield Finding(
            "AMD6105",
            requirement.start,
            requirement.end,
            detail=f"{requirement.name} finds no driver on an AMD machine",
            fix=fix,
        )
