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
_NUMBER = re.compile(rb"\b32\b")


@rule("AMD3001", triggers={"num_warps"})
def triton_num_warps_32(module: Module) -> Iterator[Finding]:
    if "triton" not in module.words or not module.mentions(_NUMBER):
        return
    for value in _values(module):
        if module.guarded(value) or in_kernel(module, value) or _never_reached(module, value):
            continue
        listed = isinstance(value, (ast.List, ast.Tuple))
        detail = "32 x 64 = 2048 threads on Instinct cards, 1024 is the limit"
        if listed:
            detail += "; new Triton skips the configuration, old Triton stops"
        yield module.report(
            "AMD3001",
            value,
            detail,
            _fix(module, value),
            targets=_WAVE64,
            severity="warning" if listed else None,
        )


def _values(module: Module) -> Iterator[ast.expr]:
    for keyword in options(module, "num_warps"):
        if _pruned(module, keyword):
            continue
        if number(keyword.value) == 32:
            yield keyword.value
        elif isinstance(keyword.value, ast.Name):
            yield from _from_list(module, keyword.value)
    for hit in module.hits("num_warps"):
        if isinstance(hit, ast.Name) and isinstance(hit.ctx, ast.Store):
            above = module.parent(hit)
            if _capped(module, hit):
                continue
            if isinstance(above, (ast.Assign, ast.AnnAssign)) and above.value is not None:
                yield from _thirty_twos(above.value)
            elif isinstance(above, ast.Tuple):
                yield from _returned(module, above, hit)
        elif isinstance(hit, ast.Constant) and hit.value == "num_warps":
            above = module.parent(hit)
            if isinstance(above, ast.Dict) and hit in above.keys:
                value = above.values[above.keys.index(hit)]
                yield from _thirty_twos(value.body if isinstance(value, ast.Lambda) else value)


def _from_list(module: Module, name: ast.Name) -> Iterator[ast.expr]:
    """``num_warps=w for w in [8, 16, 32]``: the list."""
    for binding in module.resolver.lookup(name):
        source = binding.value if binding.kind == "other" else None
        loop = module.parent(binding.node)
        if isinstance(loop, ast.comprehension) and any("warp_size" in module.text(i) for i in loop.ifs):
            continue  # filtered by the real wavefront size
        if isinstance(source, ast.Name):
            values = [b.value for b in module.resolver.lookup(source) if b.kind == "assign"]
            source = values[0] if len(values) == 1 else None
        if isinstance(source, (ast.List, ast.Tuple)) and any(number(e) == 32 for e in source.elts):
            yield source


def _returned(module: Module, targets: ast.Tuple, target: ast.Name) -> Iterator[ast.expr]:
    """``block, num_warps = settings(n)`` where a function of this file returns ``n, 32``."""
    place = targets.elts.index(target)
    holder = module.parent(targets)
    call = holder.value if isinstance(holder, ast.Assign) else None
    if not isinstance(call, ast.Call):
        return
    for binding in module.resolver.bound_to(call.func):
        if binding.kind == "def":
            for node in module.walk(binding.node):
                if (
                    isinstance(node, ast.Return)
                    and isinstance(node.value, ast.Tuple)
                    and len(node.value.elts) == len(targets.elts)
                ):
                    yield from _thirty_twos(node.value.elts[place])


def _thirty_twos(value: ast.expr) -> Iterator[ast.expr]:
    if isinstance(value, ast.IfExp):
        yield from _thirty_twos(value.body)
        yield from _thirty_twos(value.orelse)
    elif number(value) == 32:
        yield value


def _never_reached(module: Module, value: ast.expr) -> bool:
    """``16 if size < 65537 else 32`` where ``size = min(n, 65536)``: the 32 is never chosen."""
    child: ast.AST = value
    for above in module.parents(value):
        if not isinstance(above, ast.IfExp):
            return False
        if child is above.orelse and _always_below(module, above.test):
            return True
        child = above
    return False


def _always_below(module: Module, test: ast.expr) -> bool:
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.left, ast.Name):
        return False
    limit = module.guards.rocm.value(test.comparators[0])
    bounds = [_upper_bound(module, b.value) for b in module.resolver.lookup(test.left)]
    if not isinstance(limit, int) or not bounds or not all(isinstance(b, int) for b in bounds):
        return False
    top = max(b for b in bounds if b is not None)
    return (
        top < limit if isinstance(test.ops[0], ast.Lt) else isinstance(test.ops[0], ast.LtE) and top <= limit
    )


def _upper_bound(module: Module, value: ast.expr | None) -> int | None:
    """The largest value of ``min(n, CAP)``."""
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name) or value.func.id != "min":
        return None
    known = [module.guards.rocm.value(a) for a in value.args]
    numbers = [k for k in known if isinstance(k, int) and not isinstance(k, bool)]
    return min(numbers, default=None)


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
    if isinstance(value, (ast.List, ast.Tuple)):
        rest = ", ".join(module.text(e) for e in value.elts if number(e) != 32) or "16"
        amd = f"[{rest}]" if isinstance(value, ast.List) else f"({rest},)"
        return otherwise(module, value, amd, "up to 16 warps on ROCm")
    return otherwise(module, value, "16", "16 warps on ROCm: the same 1024 threads")
