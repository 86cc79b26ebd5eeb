"""AMD2009: TORCH_CUDA_ARCH_LIST, which ROCm builds do not read."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..module import Module

_NAME = "TORCH_CUDA_ARCH_LIST"


@rule("AMD2009", triggers={_NAME})
def torch_cuda_arch_list(module: Module) -> Iterator[Finding]:
    if "PYTORCH_ROCM_ARCH" in module.words:
        return
    for node in module.strings(_NAME):
        above = module.parent(node)
        if node.value != _NAME or module.guarded(node):
            continue
        stored = (
            isinstance(above, ast.Subscript)
            and isinstance(above.ctx, (ast.Store,))
            and "os.environ" in module.names(above.value)
        )
        default = isinstance(above, ast.Call) and module.names(above.func) & {
            "os.environ.setdefault",
            "os.putenv",
        }
        statement = module.statement(node)
        emptied = isinstance(statement, ast.Assign) and _is_empty(statement.value)
        if (stored or default) and not emptied and not module.guards.on_trial(node):
            yield module.report(
                "AMD2009",
                node,
                "not read on ROCm: PYTORCH_ROCM_ARCH is, else every target of the wheel is compiled",
            )


def _is_empty(value: ast.expr) -> bool:
    """An empty text: the list is taken away, not given."""
    return isinstance(value, ast.Constant) and not value.value
