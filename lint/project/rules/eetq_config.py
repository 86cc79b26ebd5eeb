"""AMD6135: EETQ quantisation in a config."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import configs
from ..file import ProjectFile


@rule("AMD6135", triggers={"eetq"})
def eetq_config(file: ProjectFile) -> Iterator[Finding]:
    """Report quantization_method: eetq (and quant_method) in training configs."""
    if file.role not in configs.TRAINING:
        return
    for node in configs.settings(file, "quantization_method", "quant_method"):
        if node.value.lower() == "eetq":
            fix = Fix(
                "unsafe",
                "quantise with bitsandbytes",
                (configs.set_value(file, node, "bnb"),),
                reason="another quantiser gives slightly other weights on NVIDIA",
            ) if node.key == "quantization_method" else None  # fmt: skip
            yield Finding("AMD6135", node.key_start, node.end, detail="EETQ has no ROCm build", fix=fix)
