"""AMD2003: cpp_extension.CUDA_HOME is None on a ROCm build of torch."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from ..module import Module
from ..values import text_of

_PATHS = {
    "os.path.join",
    "pathlib.Path",
    "Path",
    "os.path.exists",
    "os.path.isdir",
    "os.path.realpath",
    "os.path.abspath",
    "os.listdir",
    "posixpath.join",
}
_GPU = re.compile(r"cuda|gpu", re.IGNORECASE)


@rule("AMD2003", triggers={"CUDA_HOME"})
def cuda_home_none(module: Module) -> Iterator[Finding]:
    seen: set[ast.AST] = set()
    for use in module.uses("torch.utils.cpp_extension.CUDA_HOME"):
        for value in module.flow(use):
            if value is not use and not _holds(module, value, use):
                continue
            place = _path(module, value)
            if place is not None and not module.guarded(place) and not module.tried(place, "TypeError"):
                if place not in seen:
                    seen.add(place)
                    fix = None if _for_nvcc(module, place) else _rocm_home(module, use, value)
                    yield module.report(
                        "AMD2003",
                        place,
                        "CUDA_HOME is None on ROCm, whatever is installed: this raises TypeError",
                        fix,
                    )
                continue
            test = _refusal(module, value) or _choice(module, value)
            if test is not None and test not in seen and not module.guarded(test):
                seen.add(test)
                yield module.report(
                    "AMD2003",
                    test,
                    "decides against a ROCm build: CUDA_HOME is always None there",
                    _also_rocm(module, use, test),
                )
    for node in module.strings("CUDA_HOME"):
        above = module.parent(node)
        if (
            node.value != "CUDA_HOME"
            or not isinstance(above, ast.Subscript)
            or not isinstance(above.ctx, ast.Load)
        ):
            continue
        if "os.environ" not in module.names(above.value) or _asked(module, above):
            continue
        if not module.guarded(above) and not module.tried(above, "KeyError", "Exception"):
            yield module.report(
                "AMD2003", above, "KeyError on a machine without the CUDA toolkit", severity="warning"
            )


def _holds(module: Module, value: ast.expr, use: ast.expr) -> bool:
    return any(b.kind == "assign" and b.value is use for b in module.resolver.bound_to(value))


def _path(module: Module, value: ast.expr) -> ast.expr | None:
    """The expression in which the folder is needed as a text."""
    above = module.parent(value)
    match above:
        case ast.Call() if value in above.args and module.names(above.func) & _PATHS:
            return above
        case ast.BinOp(op=ast.Add() | ast.Div()):
            return above
    return None


def _for_nvcc(module: Module, place: ast.expr) -> bool:
    """A path to nvcc has no counterpart below ROCM_HOME."""
    text = text_of(module, place)
    return text is not None and "nvcc" in text


def _asked(module: Module, node: ast.Subscript) -> bool:
    """Whether the variable's presence is asked before it is read."""
    return any(isinstance(module.parent(s), ast.Compare) for s in module.strings("CUDA_HOME"))


def _refusal(module: Module, value: ast.expr) -> ast.expr | None:
    """``if CUDA_HOME is None: raise``, ``assert CUDA_HOME``."""
    test: ast.expr = value
    absent = False
    above = module.parent(value)
    if (
        isinstance(above, ast.Compare)
        and isinstance(above.comparators[0], ast.Constant)
        and above.comparators[0].value is None
    ):
        test, absent = above, isinstance(above.ops[0], (ast.Is, ast.Eq))
        above = module.parent(above)
    elif isinstance(above, ast.UnaryOp) and isinstance(above.op, ast.Not):
        test, absent = above, True
        above = module.parent(above)
    if isinstance(above, ast.Assert) and above.test is test and not absent:
        return test
    if (
        isinstance(above, ast.If)
        and above.test is test
        and absent
        and "rocm" not in module.text(above).lower()
    ) and any(
        isinstance(s, ast.Raise) or (isinstance(s, ast.Expr) and module.guards.exits([s])) for s in above.body
    ):
        return test
    return None


def _choice(module: Module, value: ast.expr) -> ast.expr | None:
    """``CUDAExtension if CUDA_HOME else CppExtension``: the GPU sources are left out on ROCm."""
    test: ast.expr = value
    above = module.parent(value)
    if (
        isinstance(above, ast.Compare)
        and isinstance(above.comparators[0], ast.Constant)
        and above.comparators[0].value is None
    ):
        if not isinstance(above.ops[0], ast.IsNot):
            return None
        test = above
    holder = module.parent(test)
    while isinstance(holder, ast.BoolOp) and isinstance(holder.op, ast.And):
        holder = module.parent(holder)
    if (
        b"ROCM_HOME" in module.source.data
        or b"hip" in module.source.data
        or b"CUDAExtension" not in module.source.data
    ):
        return None
    if isinstance(holder, ast.Assign):
        return test if _GPU.search(module.text(holder.targets[0])) else None
    if isinstance(holder, (ast.If, ast.IfExp)):
        return test if "CUDAExtension" in module.text(holder) else None
    return None


def _rocm(module: Module, use: ast.expr) -> tuple[str, tuple[str, ...]] | None:
    """How ROCM_HOME is written where CUDA_HOME is, and the import it needs."""
    if isinstance(use, ast.Attribute):
        return f"{module.text(use.value)}.ROCM_HOME", ()
    if isinstance(use, ast.Name) and not module.resolver.visible("ROCM_HOME", use):
        return "ROCM_HOME", ("from torch.utils.cpp_extension import ROCM_HOME",)
    if isinstance(use, ast.Name) and any(
        b.dotted.endswith("cpp_extension.ROCM_HOME") for b in module.resolver.visible("ROCM_HOME", use)
    ):
        return "ROCM_HOME", ()
    return None


def _rocm_home(module: Module, use: ast.expr, value: ast.expr) -> Fix | None:
    rocm = _rocm(module, use)
    if rocm is None or module.fstring(value) is not None:
        return None
    text = module.text(value)
    call = module.parent(value)
    if value is use:
        inner = isinstance(call, ast.Call) and isinstance(value, (ast.Name, ast.Attribute))
        edits: list[Edit] = (
            [module.after(value, f" or {rocm[0]}")]
            if inner
            else [module.before(value, "("), module.after(value, f" or {rocm[0]})")]
        )
    else:
        edits = [module.after(use, f" or {rocm[0]}")]
        text = module.text(use)
    for node in module.walk(call) if call is not None else ():
        if isinstance(node, ast.Constant) and node.value == "lib64":
            edits.append(module.after(node, f' if {text} else "lib"'))
    return Fix("safe", "use ROCM_HOME where there is no CUDA_HOME", tuple(edits), imports=rocm[1])


def _also_rocm(module: Module, use: ast.expr, test: ast.expr) -> Fix | None:
    rocm = _rocm(module, use)
    if rocm is None:
        return None
    none = isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Is, ast.Eq))
    absent = none or (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not))
    if isinstance(test, (ast.Name, ast.Attribute)):
        return Fix(
            "safe",
            "accept ROCM_HOME too",
            (module.before(test, "("), module.after(test, f" or {rocm[0]})")),
            imports=rocm[1],
        )
    if isinstance(module.parent(test), ast.BoolOp) and not absent:
        edits = (module.before(test, "("), module.after(test, f" or {rocm[0]} is not None)"))
        return Fix("safe", "accept ROCM_HOME too", edits, imports=rocm[1])
    text = f" and {rocm[0]} is None" if absent else f" or {rocm[0]} is not None"
    return Fix("safe", "accept ROCM_HOME too", (module.after(test, text),), imports=rocm[1])
