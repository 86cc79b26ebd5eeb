"""AMD6113: ONNX Runtime with the CUDA provider."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import edits, packages
from ..file import ProjectFile

NAMES = r"onnxruntime-gpu|ort-nightly-gpu"


@rule("AMD6113", triggers={"onnxruntime", "onnxruntime_gpu"})
def onnxruntime_gpu_package(file: ProjectFile) -> Iterator[Finding]:
    """Report it."""
    for requirement in packages.asked(file, NAMES):
        fix = Fix(
            "unsafe",
            "ask for the MIGraphX build",
            (edits.replace(requirement, "onnxruntime-migraphx"),),
            reason="NVIDIA machines would then lose the CUDA provider",
        )
        yield Finding(
            "AMD6113", requirement.start, requirement.end, detail="holds the CUDA provider only", fix=fix
        )
