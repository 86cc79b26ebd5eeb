"""AMD7004: CUDA_LAUNCH_BLOCKING, which AMD does not read."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from ..fixes import indent_of
from ..module import Module

_NAME = "CUDA_LAUNCH_BLOCKING"


@rule("AMD7004", triggers={_NAME})
def cuda_launch_blocking(module: Module) -> Iterator[Finding]:
    if "AMD_SERIALIZE_KERNEL" in module.words:
        return
    for node in module.strings(_NAME):
        above = module.parent(node)
        if node.value != _NAME or module.guarded(node) or module.guards.on_trial(node):
            continue
        if not isinstance(above, ast.Subscript) or not isinstance(above.ctx, ast.Store):
            continue
        if "os.environ" in module.names(above.value) and _switches_on(module.statement(node)):
            detail = "without effect on AMD: AMD_SERIALIZE_KERNEL=3 makes launches synchronous there"
            yield module.report("AMD7004", node, detail, _fix(module, node, above))


def _switches_on(statement: ast.stmt) -> bool:
    """Not so where the variable is switched off, or gets back what it was before."""
    value = statement.value if isinstance(statement, ast.Assign) else None
    if isinstance(value, ast.Constant):
        return value.value not in ("0", "", 0)
    return not isinstance(value, (ast.Name, ast.Attribute))


def _fix(module: Module, node: ast.Constant, above: ast.Subscript) -> Fix | None:
    statement = module.statement(node)
    value = statement.value if isinstance(statement, ast.Assign) else None
    indent = indent_of(module, statement)
    if indent is None or not isinstance(value, ast.Constant) or value.value != "1":
        return None
    end = module.span(statement)[1]
    line = f'{module.text(above.value)}["AMD_SERIALIZE_KERNEL"] = "3"'
    return Fix(
        "safe", "set the AMD variable too", (Edit(end, end, f"{module.source.newline}{indent}{line}"),)
    )
