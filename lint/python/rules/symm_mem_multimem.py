"""AMD4002: symmetric memory through NVLink SHARP or NVSHMEM."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..fixes import otherwise
from ..module import Module

_NEAR = re.compile(rb"multimem|NVSHMEM")
# operation of the switch: operation with the same arguments that needs none
_OPS = {
    "multimem_all_reduce_": "two_shot_all_reduce_",
    "multimem_one_shot_all_reduce": "one_shot_all_reduce",
    "multimem_one_shot_all_reduce_out": "one_shot_all_reduce_out",
    "multimem_all_gather_out": "",
    "multimem_one_shot_reduce_out": "",
}


@rule("AMD4002", triggers={*_OPS, "NVSHMEM"})
def symm_mem_multimem(module: Module) -> Iterator[Finding]:
    if not module.mentions(_NEAR):
        return
    for op, twin in _OPS.items():
        for node in module.hits(op):
            if not isinstance(node, ast.Attribute) or not any(
                n.endswith(f"symm_mem.{op}") for n in module.names(node)
            ):
                continue
            if not module.guarded(node) and not module.tried(node, "RuntimeError"):
                yield module.report(
                    "AMD4002", node, "multimem instructions belong to NVSwitch", _fix(module, node, twin)
                )
    for node in module.strings("NVSHMEM"):
        call = module.parent(node)
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or module.guarded(node):
            continue
        if call.func.attr == "set_backend" and any("symm" in n for n in module.names(call.func)):
            yield module.report("AMD4002", node, "there is no NVSHMEM on AMD")


def _fix(module: Module, node: ast.Attribute, twin: str) -> Fix | None:
    if not twin:
        return None
    return otherwise(
        module, node, f"{module.text(node.value)}.{twin}", "the operation without the switch on ROCm"
    )
