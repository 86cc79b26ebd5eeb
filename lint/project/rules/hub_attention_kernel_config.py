"""AMD6139: a training config chooses an attention kernel that is built for NVIDIA alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import configs
from ..file import ProjectFile

_KERNEL = re.compile(r"flash_attention_4|kernels-community/(?:vllm-flash-attn3|flash-attn[34])(?:@\S+)?")
REASON = "NVIDIA GPUs would then use another attention kernel"


@rule("AMD6139", triggers={"flash_attention_4", "attn3", "attn4"})
def hub_attention_kernel_config(file: ProjectFile) -> Iterator[Finding]:
    """Report attn_implementation with FlashAttention 4 or a hub kernel for CUDA."""
    if file.kind not in ("yaml", "json") or file.for_one_vendor:
        return
    for node in configs.settings(file, "attn_implementation", "attention_implementation"):
        if _KERNEL.fullmatch(node.value):
            # gpt-oss, for which the vllm kernel is made, takes no flash_attention_2
            aiter = "attn_implementation: kernels-community/aiter-flash-attn"
            fix = Fix("display", "AMD's kernel on ROCm", paste=aiter)
            if "vllm" not in node.value:
                edit = configs.set_value(file, node, "flash_attention_2")
                fix = Fix("unsafe", "use FlashAttention 2", (edit,), reason=REASON)
            yield Finding(
                "AMD6139", node.key_start, node.end, detail=f"{node.value} has no build for AMD", fix=fix
            )
