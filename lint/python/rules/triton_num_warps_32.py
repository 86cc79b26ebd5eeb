"""AMD3001: 32 warps of 64 threads are more than a block can have."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..fixes import otherwise
from ..module import Module
from ..triton import in_kernel, number, options

_WAVE64 = ("wave64",)
_NEAR = re.compile(rb"triton")


@rule("AMD3001", triggers={"num_warps"})
def triton_num_warps_32(module: Module) -> Iterator[Finding]:
    if not module.mentions(_NEAR):
        return
    if "triton" not in module.words:
        return
    for value in _values(module):
        if module.guarded(value) or in_kernel(module, value):
            continue
        yield module.report(
            "AMD3001",
            value,
            "32 x 64 = 2048 threads on Instinct cards, 1024 is the limit",
            _fix(module, value),
            targets=_WAVE64,
        )


def _values(module: Module) -> Iterator[ast.expr]:
    for keyword in options(module, "num_warps"):
        if number(keyword.value) == 32 and not _pruned(module, keyword):
            yield keyword.value
    for hit in module.hits("num_warps"):
        if isinstance(hit, ast.Name) and isinstance(hit.ctx, ast.Store):
            above = module.parent(hit)
            if (
                isinstance(above, (ast.Assign, ast.AnnAssign))
                and above.value is not None
                and not _capped(module, hit)
            ):
                yield from _thirty_twos(above.value)
        elif isinstance(hit, ast.Constant) and hit.value == "num_warps":
            above = module.parent(hit)
            if isinstance(above, ast.Dict) and hit in above.keys:
                value = above.values[above.keys.index(hit)]
                if number(value) == 32:
                    yield value


def _thirty_twos(value: ast.expr) -> Iterator[ast.expr]:
    if isinstance(value, ast.IfExp):
        yield from _thirty_twos(value.body)
        yield from _thirty_twos(value.orelse)
    elif number(value) == 32:
        yield value


def _pruned(module: Module, keyword: ast.keyword) -> bool:
    """Configurations that are filtered by the real wavefront size."""
    if "warp_size" in module.words or "early_config_prune" in module.words:
        return any(
            isinstance(p, ast.Call) and p is not module.parent(keyword) for p in module.parents(keyword)
        )
    return False


def _capped(module: Module, target: ast.Name) -> bool:
    """Whether the number is cut down later for AMD: ``num_warps = min(num_warps, 16)``, or under ``if is_hip()``."""
    scope = module.scope(target)
    for hit in module.hits("num_warps"):
        if not isinstance(hit, ast.Name) or module.scope(hit) is not scope or hit is target:
            continue
        for above in module.parents(hit):
            if isinstance(above, ast.Call) and isinstance(above.func, ast.Name) and above.func.id == "min":
                return True
            if (
                isinstance(above, (ast.If, ast.IfExp))
                and module.guards.truth(above.test) is True
                and isinstance(hit.ctx, ast.Store)
            ):
                return True
            if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef)):
                break
    return False


def _fix(module: Module, value: ast.expr) -> Fix | None:
    return otherwise(module, value, "16", "16 warps on ROCm: the same 1024 threads")
