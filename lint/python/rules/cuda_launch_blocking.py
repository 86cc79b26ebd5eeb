"""AMD7004: CUDA_LAUNCH_BLOCKING, which AMD does not read."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..module import Module

_NAME = "CUDA_LAUNCH_BLOCKING"


@rule("AMD7004", triggers={_NAME})
def cuda_launch_blocking(module: Module) -> Iterator[Finding]:
    if "AMD_SERIALIZE_KERNEL" in module.words:
        return
    for node in module.strings(_NAME):
        above = module.parent(node)
        if node.value != _NAME or module.guarded(node):
            continue
        if (
            isinstance(above, ast.Subscript)
            and isinstance(above.ctx, ast.Store)
            and "os.environ" in module.names(above.value)
        ):
            yield module.report(
                "AMD7004",
                node,
                "without effect on AMD: AMD_SERIALIZE_KERNEL=3 makes launches synchronous there",
            )
