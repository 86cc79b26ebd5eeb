"""AMD5100: tf32 switched on in a training config."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import configs
from ..file import ProjectFile

_ON = re.compile(rb"tf32[\"']?\s*:\s*(?:[&!][^\s]+\s+)*(?:true|yes|on)\b", re.IGNORECASE)


@rule("AMD5100", triggers={"tf32"})
def tf32_config(file: ProjectFile) -> Iterator[Finding]:
    """Report tf32: true at the top of a config that ends in TrainingArguments."""
    if not _ON.search(file.source.data) or file.role not in configs.TRAINING:
        return
    for node in configs.settings(file, "tf32"):
        if not node.true or len(node.path()) != 1:
            continue
        if file.role == "axolotl":
            edit = configs.set_value(file, node, "auto")
            if any(d.get("attn_implementation") is not None for d in file.documents):
                # This key is younger than "auto", so the axolotl at hand knows both.
                fix = Fix("safe", "let axolotl ask the GPU", (edit,))
            else:
                fix = Fix(
                    "unsafe",
                    "let axolotl ask the GPU",
                    (edit,),
                    reason="axolotl before March 2026 does not know auto",
                )
        else:
            fix = Fix(
                "unsafe",
                "leave it off",
                (configs.set_value(file, node, "false"),),
                reason="matrix products in float32 get slower and more exact on NVIDIA",
            )
        yield Finding(
            "AMD5100", node.key_start, node.end, detail="raises ValueError on every ROCm build", fix=fix
        )
