"""AMD3009: compiled.asm["ptx"] of a kernel compiled for AMD."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..fixes import otherwise
from ..module import Module

_STAGES = {"ptx": '"amdgcn"', "cubin": '"hsaco"', "sass": '"amdgcn"'}


@rule("AMD3009", triggers=set(_STAGES))
def triton_ptx_inspect(module: Module) -> Iterator[Finding]:
    for stage in _STAGES:
        for node in module.strings(stage):
            above = module.parent(node)
            if (
                node.value != stage
                or not isinstance(above, ast.Subscript)
                or above.slice is not node
                or not isinstance(above.ctx, ast.Load)
            ):
                continue
            owner = above.value
            if (
                not _is_asm(module, owner)
                or module.guarded(node)
                or module.tried(node, "KeyError", "Exception")
                or _asked(module, node, stage)
            ):
                continue
            yield module.report(
                "AMD3009",
                above,
                f'KeyError on AMD: the stages there are llir, amdgcn and hsaco, not "{stage}"',
                _fix(module, node, stage),
            )


def _is_asm(module: Module, owner: ast.expr) -> bool:
    if isinstance(owner, ast.Attribute) and owner.attr == "asm":
        return True
    return any(
        isinstance(b.value, ast.Attribute) and b.value.attr == "asm" for b in module.resolver.bound_to(owner)
    )


def _asked(module: Module, node: ast.Constant, stage: str) -> bool:
    """``if "ptx" in compiled.asm:`` around it."""
    for above in module.parents(node):
        if isinstance(above, (ast.If, ast.IfExp)) and f'"{stage}" in' in module.text(above.test).replace(
            "'", '"'
        ):
            return True
    return False


def _fix(module: Module, node: ast.Constant, stage: str) -> Fix | None:
    torch_fix = otherwise(module, node, _STAGES[stage], "read the AMD stage on ROCm")
    if torch_fix is None:
        return None
    # a subscript needs no parentheses around the choice
    edits = tuple(
        type(e)(e.start, e.end, e.content.removesuffix(")") if e.content != "(" else "")
        for e in torch_fix.edits
    )
    return Fix("safe", torch_fix.message, tuple(e for e in edits if e.content), imports=torch_fix.imports)
