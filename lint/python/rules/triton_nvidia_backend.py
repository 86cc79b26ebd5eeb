"""AMD3008: imports from triton.backends.nvidia."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..fixes import only_on_nvidia
from ..module import Module

_PACKAGE = "triton.backends.nvidia"
# name in the NVIDIA backend: name in the AMD one
_TWINS = {"min_dot_size": "get_min_dot_size", "CUDAOptions": "HIPOptions", "CUDABackend": "HIPBackend"}
_NEAR = (b"backends.nvidia", b"triton.backends")


@rule("AMD3008", triggers={"backends"})
def triton_nvidia_backend(module: Module) -> Iterator[Finding]:
    if not module.holds(*_NEAR):
        return
    seen: set[ast.AST] = set()
    for stmt, _, _dotted in module.imports(_PACKAGE):
        if stmt not in seen and not module.guarded(stmt) and not module.tried(stmt, "ImportError"):
            seen.add(stmt)
            yield module.report(
                "AMD3008", stmt, "answers for NVIDIA targets, whatever GPU is there", _fix(module, stmt)
            )


def _fix(module: Module, stmt: ast.Import | ast.ImportFrom) -> Fix | None:
    if not isinstance(stmt, ast.ImportFrom) or not stmt.module or not stmt.module.endswith(".compiler"):
        return None
    if not all(a.name in _TWINS for a in stmt.names):
        return None
    names = ", ".join(f"{_TWINS[a.name]} as {a.asname or a.name}" for a in stmt.names)
    return only_on_nvidia(
        module,
        stmt,
        "import from the AMD backend on ROCm",
        f"from triton.backends.amd.compiler import {names}",
    )
