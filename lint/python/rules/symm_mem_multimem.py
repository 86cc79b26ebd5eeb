"""AMD4002: symmetric memory through NVLink SHARP or NVSHMEM."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..module import Module

_OPS = (
    "multimem_all_reduce_",
    "multimem_one_shot_all_reduce",
    "multimem_one_shot_all_reduce_out",
    "multimem_all_gather_out",
    "multimem_one_shot_reduce_out",
)
_NEAR = re.compile(rb"multimem|NVSHMEM")


@rule("AMD4002", triggers={*_OPS, "NVSHMEM", "set_backend"})
def symm_mem_multimem(module: Module) -> Iterator[Finding]:
    if not module.mentions(_NEAR):
        return
    for op in _OPS:
        for node in module.hits(op):
            if isinstance(node, ast.Attribute) and any(
                n.endswith(f"symm_mem.{op}") for n in module.names(node)
            ):
                if not module.guarded(node) and not module.tried(node, "RuntimeError"):
                    yield module.report(
                        "AMD4002",
                        node,
                        "multimem instructions belong to NVSwitch: use one_shot_all_reduce or two_shot_all_reduce_ on AMD",
                    )
    for node in module.strings("NVSHMEM"):
        call = module.parent(node)
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr == "set_backend"
            and not module.guarded(node)
        ):
            if any("symm" in n for n in module.names(call.func)):
                yield module.report("AMD4002", node, "there is no NVSHMEM on AMD")
