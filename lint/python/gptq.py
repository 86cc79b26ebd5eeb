"""Where a kernel of GPTQModel is asked for by name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..finding import Fix
from .fixes import otherwise

if TYPE_CHECKING:
    from .module import Module

_LOADERS = {"load", "from_quantized", "from_pretrained", "make_quant"}
_OWNERS = ("gptqmodel.BACKEND", "gptqmodel.utils.backend.BACKEND", "gptqmodel.utils.BACKEND")


def asked_for(module: Module, *kernels: str) -> Iterator[ast.Attribute]:
    """``BACKEND.X`` where it becomes the backend of a model that is loaded; tests and tables of kernels do not count."""
    for use in module.uses(*(f"{o}.{k}" for o in _OWNERS for k in kernels)):
        named = isinstance(use, ast.Attribute) and use.attr in kernels
        if named and not module.guarded(use) and any(_loads(module, value) for value in module.flow(use)):
            assert isinstance(use, ast.Attribute)
            yield use


def _loads(module: Module, value: ast.expr) -> bool:
    keyword = module.parent(value)
    call = module.parent(keyword) if isinstance(keyword, ast.keyword) and keyword.arg == "backend" else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _LOADERS


def automatic(module: Module, use: ast.Attribute) -> Fix | None:
    return otherwise(module, use, f"{module.text(use.value)}.AUTO", "let GPTQModel choose on ROCm")
