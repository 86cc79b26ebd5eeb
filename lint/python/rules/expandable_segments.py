"""AMD7003: expandable_segments set for every build."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..module import Module

_SETTING = re.compile(r"(?:PYTORCH_(?:CUDA_|HIP_)?ALLOC_CONF=)?[\w:.,\[\]-]+")
_VARIABLES = {"PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"}


@rule("AMD7003", triggers={"expandable_segments"})
def expandable_segments(module: Module) -> Iterator[Finding]:
    for node in module.strings("expandable_segments"):
        if (
            "expandable_segments:true" not in str(node.value).lower().replace(" ", "")
            or _SETTING.fullmatch(str(node.value).replace(" ", "")) is None
            or not _sets(module, node)
            or module.guarded(node)
            or module.guards.on_trial(node)
        ):
            continue
        yield module.report(
            "AMD7003",
            node,
            "ignored up to torch 2.10, active and with open crash reports from 2.11 on ROCm 7",
        )


def _sets(module: Module, node: ast.Constant) -> bool:
    holder: ast.AST | None = module.fstring(node) or node
    above = module.parent(holder) if holder is not None else None
    if isinstance(above, ast.Call) and str(node.value).count(" ") > 2:
        return False  # a sentence
    if isinstance(above, (ast.Assign, ast.Dict, ast.Call, ast.AugAssign)):
        text = module.text(above)
        return any(v in text for v in _VARIABLES) or "set_allocator_settings" in text
    return False
