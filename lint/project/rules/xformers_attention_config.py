"""AMD6131: xFormers chosen as attention in a config."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from .. import configs
from ..file import ProjectFile

REASON = "NVIDIA GPUs would then use another attention kernel"


@rule("AMD6131", triggers={"xformers", "xformers_attention", "enable_xformers_memory_efficient_attention"})
def xformers_attention_config(file: ProjectFile) -> Iterator[Finding]:
    """Report attn_implementation: xformers and axolotl's older flag."""
    if file.role not in ("axolotl", "llamafactory", "training"):
        return
    for node in configs.settings(file, "attn_implementation", "xformers_attention"):
        if node.key == "attn_implementation" and node.value == "xformers":
            fix = Fix(
                "unsafe", "use PyTorch's attention", (configs.set_value(file, node, "sdpa"),), reason=REASON
            )
        elif node.key == "xformers_attention" and node.true:
            edits = (Edit(node.key_start, node.key_end, "sdp_attention"),)
            fix = Fix("unsafe", "use PyTorch's attention", edits, reason=REASON)
        else:
            continue
        yield Finding(
            "AMD6131", node.key_start, node.end, detail="the usual wheel has no ROCm kernels", fix=fix
        )
