"""AMD5101: an FP8 back end that exists for NVIDIA GPUs only."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import configs
from ..file import ProjectFile

REASON = "NVIDIA GPUs would then train with torchao's FP8 instead"


@rule("AMD5101", triggers={"fp8_config", "fp8_backend", "backend"})
def fp8_backend_config(file: ProjectFile) -> Iterator[Finding]:
    """Report the back ends TE and MS-AMP in configs of Accelerate and LLaMA-Factory."""
    if file.role == "accelerate":
        for node in configs.settings(file, "backend", "fp8_backend"):
            if node.value.upper() in ("TE", "MSAMP", "MS-AMP") and (
                node.key == "fp8_backend" or node.path()[:-1] == ("fp8_config",)
            ):
                fix = Fix("unsafe", "use torchao", (configs.set_value(file, node, "AO"),), reason=REASON)
                yield Finding(
                    "AMD5101", node.key_start, node.end, detail=f"{node.value} is CUDA only", fix=fix
                )
    elif file.role == "llamafactory":
        for node in configs.settings(file, "fp8_backend"):
            if node.value.lower() in ("te", "msamp"):
                fix = Fix("unsafe", "use torchao", (configs.set_value(file, node, "torchao"),), reason=REASON)
                yield Finding(
                    "AMD5101", node.key_start, node.end, detail=f"{node.value} is CUDA only", fix=fix
                )
