"""AMD6136: torch.compile with the TensorRT back end, chosen in a config."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import configs
from ..file import ProjectFile

KEYS = ("torch_compile_backend", "dynamo_backend", "compile_backend")


@rule("AMD6136", triggers={"tensorrt", "TENSORRT", "torch_tensorrt"})
def tensorrt_compile_config(file: ProjectFile) -> Iterator[Finding]:
    """Report the back end in configs of Hugging Face, axolotl and Accelerate."""
    if file.role not in (*configs.TRAINING, "accelerate"):
        return
    for node in configs.settings(file, *KEYS):
        if node.value.lower() in ("tensorrt", "torch_tensorrt", "fx2trt"):
            name = "INDUCTOR" if node.value.isupper() else "inductor"
            fix = Fix(
                "unsafe",
                "use inductor",
                (configs.set_value(file, node, name),),
                reason="NVIDIA GPUs would then run inductor's kernels instead of TensorRT's",
            )
            yield Finding("AMD6136", node.key_start, node.end, detail="TensorRT needs an NVIDIA GPU", fix=fix)
