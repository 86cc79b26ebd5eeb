"""AMD6137: an optimizer or mixed-precision back end of Apex in a config."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import configs
from ..file import ProjectFile


@rule("AMD6137", triggers={"adamw_apex_fused", "apex"})
def apex_optimizer_config(file: ProjectFile) -> Iterator[Finding]:
    """Report optim: adamw_apex_fused and half_precision_backend: apex."""
    if file.role not in configs.TRAINING:
        return
    for node in configs.settings(file, "optim", "optimizer", "half_precision_backend"):
        if node.value == "adamw_apex_fused":
            fix = Fix(
                "unsafe",
                "use PyTorch's fused AdamW",
                (configs.set_value(file, node, "adamw_torch_fused"),),
                reason="another implementation rounds differently on NVIDIA",
            )
            yield Finding(
                "AMD6137",
                node.key_start,
                node.end,
                detail="needs Apex, which has a fork for ROCm only",
                fix=fix,
            )
        elif node.key == "half_precision_backend" and node.value == "apex":
            yield Finding(
                "AMD6137", node.key_start, node.end, detail="needs Apex, which has a fork for ROCm only"
            )
