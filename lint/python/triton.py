"""Where Triton kernels are launched and configured."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .module import Module


def options(module: Module, *names: str) -> Iterator[ast.keyword]:
    """Keyword arguments of kernel launches (``kernel[grid](...)``, ``kernel.warmup``) and of ``triton.Config``."""
    if "triton" not in module.words and not any("kernel" in w for w in names):
        return
    for keyword in module.keywords(*names):
        call = module.parent(keyword)
        if isinstance(call, ast.Call) and (is_launch(module, call) or is_config(module, call)):
            yield keyword


def is_launch(module: Module, call: ast.Call) -> bool:
    return isinstance(call.func, ast.Subscript) or (
        isinstance(call.func, ast.Attribute) and call.func.attr in ("warmup", "run") and "jit" in module.words
    )


def is_config(module: Module, call: ast.Call) -> bool:
    return any(
        n == "triton.Config" or (n.startswith("triton.") and n.endswith(".Config"))
        for n in module.names(call.func)
    )


def in_kernel(module: Module, node: ast.AST) -> bool:
    """Whether a node is part of a kernel: a function that Triton compiles."""
    function = module.function(node)
    return function is not None and any("jit" in module.text(d) for d in function.decorator_list)


def number(node: ast.AST | None) -> int | None:
    """The value of a whole number written down as such."""
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def neighbours(call: ast.Call, names: set[str]) -> list[list[ast.keyword]]:
    """Keywords with these names, in runs that stand next to each other."""
    runs: list[list[ast.keyword]] = []
    for before, keyword in zip([None, *call.keywords], call.keywords, strict=False):
        if keyword.arg in names:
            if runs and runs[-1][-1] is before:
                runs[-1].append(keyword)
            else:
                runs.append([keyword])
    return runs
