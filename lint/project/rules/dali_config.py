"""AMD6138: a training config that loads its data with NVIDIA DALI."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import configs
from ..file import ProjectFile

_SWITCH = re.compile(r"(?:use|enable|with)[_-]dali|dali")
_CHOICE = re.compile(
    r"(?:\w+_)?(?:loader|backend|pipeline|dataloader|data_loader|reader)(?:_(?:type|name|backend))?"
)


@rule("AMD6138", triggers={"dali", "use_dali", "enable_dali", "with_dali", "DALI", "dali_gpu"})
def dali_config(file: ProjectFile) -> Iterator[Finding]:
    """Report use_dali: true and loaders called dali."""
    if file.kind not in ("yaml", "json") or file.role in ("compose", "kubernetes", "workflow", "ci"):
        return
    for node in file.nodes():
        if node.key is None or node.kind != "scalar":
            continue
        fix = None
        if _SWITCH.fullmatch(node.key.lower()) and node.true:
            fix = Fix(
                "unsafe",
                "load without DALI",
                (configs.set_value(file, node, "false"),),
                reason="NVIDIA machines would then decode on the CPU",
            )
        elif not (
            _CHOICE.fullmatch(node.key.lower())
            and re.fullmatch(r"(?:nvidia[_-])?dali(?:[_-]gpu)?", node.value.lower())
        ):
            continue
        yield Finding("AMD6138", node.key_start, node.end, detail="DALI runs on NVIDIA GPUs only", fix=fix)
