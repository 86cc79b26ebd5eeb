"""AMD6132: axolotl's quantisation of MoE experts."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import configs
from ..file import ProjectFile


@rule("AMD6132", triggers={"quantize_moe_experts"})
def axolotl_quantize_experts(file: ProjectFile) -> Iterator[Finding]:
    """Report quantize_moe_experts: true."""
    for node in configs.settings(file, "quantize_moe_experts"):
        if node.true and file.role == "axolotl":
            fix = Fix(
                "unsafe",
                "switch it off",
                (configs.set_value(file, node, "false"),),
                reason="the experts then take more memory on NVIDIA too",
            )
            yield Finding(
                "AMD6132", node.key_start, node.end, detail="axolotl stops: it requires CUDA", fix=fix
            )
