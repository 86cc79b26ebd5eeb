"""AMD6114: TensorRT and Torch-TensorRT."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from .. import packages
from ..file import ProjectFile

NAMES = r"tensorrt(?:-cu\d\d)?(?:-bindings|-libs|-dispatch|-lean)?|torch-tensorrt|tensorrt-llm|nvidia-tensorrt|onnx-tensorrt|polygraphy"


@rule("AMD6114", triggers={"tensorrt", "torch_tensorrt", "tensorrt_llm", "tensorrt_cu12", "polygraphy"})
def tensorrt_package(file: ProjectFile) -> Iterator[Finding]:
    """Report them."""
    for requirement in packages.asked(file, NAMES):
        if requirement.name == "polygraphy":
            continue
        yield Finding(
            "AMD6114",
            requirement.start,
            requirement.end,
            detail=f"{requirement.name} runs on NVIDIA GPUs only",
        )
