"""AMD6134: DeepSpeed's sparse attention."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import configs
from ..file import ProjectFile


@rule("AMD6134", triggers={"sparse_attention"})
def deepspeed_sparse_attention(file: ProjectFile) -> Iterator[Finding]:
    """Report the block in a DeepSpeed config."""
    if file.role != "deepspeed":
        return
    for node in configs.settings(file, "sparse_attention"):
        if node.kind == "map" and len(node.path()) == 1:
            edit = configs.remove_entry(file, node)
            fix = Fix(
                "unsafe", "remove the block", (edit,), reason="the model then attends to everything on NVIDIA too"
            ) if edit else None  # fmt: skip
            yield Finding("AMD6134", node.key_start, node.key_end, detail="the op refuses ROCm", fix=fix)
