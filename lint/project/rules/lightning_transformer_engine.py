"""AMD5103: Lightning's Transformer Engine precision."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import configs
from ..file import ProjectFile


@rule("AMD5103", triggers={"transformer", "TransformerEnginePrecision"})
def lightning_transformer_engine(file: ProjectFile) -> Iterator[Finding]:
    """Report trainer.precision: transformer-engine and the plugin of that name."""
    if file.role != "lightning":
        return
    for node in configs.settings(file, "precision"):
        if node.value in ("transformer-engine", "transformer-engine-float16"):
            fix = Fix(
                "unsafe",
                "train in bf16",
                (configs.set_value(file, node, "bf16-true"),),
                reason="NVIDIA GPUs would then train without FP8",
            )
            yield Finding(
                "AMD5103", node.key_start, node.end, detail="imports NVIDIA's Transformer Engine", fix=fix
            )
    for node in file.nodes():
        if node.kind == "scalar" and node.value.endswith("TransformerEnginePrecision"):
            yield Finding("AMD5103", node.start, node.end, detail="imports NVIDIA's Transformer Engine")
