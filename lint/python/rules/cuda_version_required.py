"""AMD2002: a build without CUDA is refused, and ROCm is such a build."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..module import Module

_NEAR = (b"torch.version", b"version.cuda", b"import version", b", version", b"version import")


@rule("AMD2002", triggers={"version"})
def cuda_version_required(module: Module) -> Iterator[Finding]:
    if not module.holds(*_NEAR):
        return
    for use in module.uses("torch.version.cuda"):
        if isinstance(use, (ast.Attribute, ast.Call, ast.Name)):
            test, absent = _test(module, use)
            if _refuses(module, test, absent) and not _asks_hip(module, test) and not module.guarded(test):
                yield module.report(
                    "AMD2002",
                    test,
                    "a ROCm build is refused here: it has torch.version.hip instead",
                    _fix(module, use, test, absent),
                )


def _test(module: Module, use: ast.expr) -> tuple[ast.expr, bool]:
    """The test that a use is part of, and whether it is true where CUDA is absent."""
    test, absent = use, False
    above = module.parent(use)
    if isinstance(above, ast.Compare) and above.left is use and len(above.ops) == 1:
        other = above.comparators[0]
        if isinstance(other, ast.Constant) and other.value is None:
            test, absent = above, isinstance(above.ops[0], (ast.Is, ast.Eq))
    while True:
        above = module.parent(test)
        if isinstance(above, ast.UnaryOp) and isinstance(above.op, ast.Not):
            test, absent = above, not absent
        elif isinstance(above, ast.Call) and isinstance(above.func, ast.Name) and above.func.id == "bool":
            test = above
        else:
            return test, absent


def _refuses(module: Module, test: ast.expr, absent: bool) -> bool:
    above = module.parent(test)
    while isinstance(above, ast.BoolOp) and isinstance(above.op, ast.Or if absent else ast.And):
        above = module.parent(above)
    if isinstance(above, ast.Assert):
        return not absent
    if not isinstance(above, ast.If):
        return False
    block = above.body if absent else above.orelse
    for stmt in block:
        if isinstance(stmt, ast.Raise):
            return True
        if isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Call) and module.guards.exits([stmt]):
            return True
    return False


def _asks_hip(module: Module, test: ast.expr) -> bool:
    """Whether ROCm is asked for beside it, or a block further out."""
    for above in module.parents(test):
        if isinstance(above, ast.stmt):
            asked = above.test if isinstance(above, (ast.If, ast.Assert)) else None
            return asked is not None and (
                "hip" in module.text(asked).lower() or "rocm" in module.text(asked).lower()
            )
    return False


def _reads(module: Module, name: ast.Name) -> Iterator[ast.AST]:
    for hit in module.hits(name.id):
        if isinstance(hit, ast.Name) and isinstance(hit.ctx, ast.Load):
            yield hit


def _fix(module: Module, use: ast.expr, test: ast.expr, absent: bool) -> Fix | None:
    owner = None
    if isinstance(use, ast.Name) and len(list(_reads(module, use))) > 1:
        return None  # what comes after works with the version, which stays empty on ROCm
    if isinstance(use, ast.Attribute) and use.attr == "cuda":
        owner = module.text(use.value)
    elif "torch" in module.words:
        from ..fixes import torch_name

        torch = torch_name(module, use)
        owner = f"{torch[0]}.version" if torch and not torch[1] else None
    if owner is None or module.fstring(test) is not None:
        return None
    text = f" and {owner}.hip is None" if absent else f" or {owner}.hip is not None"
    above = module.parent(test)
    op = ast.And if absent else ast.Or
    if isinstance(above, (ast.If, ast.Assert)) or (
        isinstance(above, ast.BoolOp) and isinstance(above.op, op)
    ):
        return Fix("safe", "accept a ROCm build too", (module.after(test, text),))
    return Fix("safe", "accept a ROCm build too", (module.before(test, "("), module.after(test, f"{text})")))
