"""AMD6010: xformers told to use its CUTLASS kernels."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..fixes import otherwise
from ..module import Module
from ..packages import own

_CUTLASS = ("MemoryEfficientAttentionCutlassOp", "MemoryEfficientAttentionCutlassFwdFlashBwOp")


@rule("AMD6010", triggers={*_CUTLASS, "cutlass"})
def xformers_cutlass(module: Module) -> Iterator[Finding]:
    if own(module, "xformers"):
        return  # xformers itself and its tests
    for op in _CUTLASS:
        for use in module.uses(f"xformers.ops.{op}", f"xformers.ops.fmha.{op}"):
            above = module.parent(use)
            if (
                isinstance(above, (ast.Compare, ast.Attribute))
                or module.guarded(use)
                or module.tried(use, "ImportError")
            ):
                continue
            if (isinstance(use, ast.Attribute) and use.attr not in _CUTLASS) or (
                isinstance(use, ast.Name) and use.id not in _CUTLASS
            ):
                continue  # read through a variable: reported where it is set
            fix = otherwise(module, use, "None", "let xformers choose on ROCm", amd_first=True)
            yield module.report(
                "AMD6010", use, "CUTLASS kernels are not compiled for ROCm; the CK ones are", fix
            )
    yield from _operator_pairs(module)


def _operator_pairs(module: Module) -> Iterator[Finding]:
    """``op=(fmha.cutlass.FwOp, fmha.cutlass.BwOp)``."""
    seen: set[ast.AST] = set()
    for use in module.uses("xformers.ops.fmha.cutlass.FwOp", "xformers.ops.fmha.cutlass.BwOp"):
        above = module.parent(use)
        place: ast.expr = above if isinstance(above, ast.Tuple) else use
        if (
            place in seen
            or not isinstance(module.parent(place), (ast.keyword, ast.Assign))
            or module.guarded(use)
        ):
            continue
        seen.add(place)
        fix = otherwise(module, place, "None", "let xformers choose on ROCm", amd_first=True)
        yield module.report(
            "AMD6010", place, "CUTLASS kernels are not compiled for ROCm; the CK ones are", fix
        )
