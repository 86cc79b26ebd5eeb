"""AMD6020: a library of the CUDA toolkit loaded by ctypes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..fixes import otherwise
from ..module import Module
from ..names import Binding

_LOADERS = (
    "ctypes.CDLL",
    "ctypes.cdll.LoadLibrary",
    "ctypes.util.find_library",
    "ctypes.PyDLL",
    "ctypes.WinDLL",
    "ctypes.windll.LoadLibrary",
    "cffi.FFI.dlopen",
)
_LIBRARY = re.compile(
    r"(?:.*/)?(?:lib)?(cudart|cuda|nvrtc|cublas|cublasLt|cudnn|nccl|nvidia-ml|nvml|cufft|curand|cusparse|cusolver|nvToolsExt|cupti|cufile|nvshmem_host)"
    r"(?:64(?:_\d+)*)?(?:\.so(?:\.[\d.]*)?|\.dll|\.dylib)?"
)
_SAME_API = {"nccl": "librccl.so.1"}
_NEAR = re.compile(
    rb"cuda|nvrtc|cublas|cudnn|nccl|nvidia|nvml|cufft|curand|cusparse|cusolver|nvToolsExt|cupti|cufile|nvshmem"
)


@rule("AMD6020", triggers={"ctypes", "cffi"})
def ctypes_cuda_library(module: Module) -> Iterator[Finding]:
    if not module.mentions(_NEAR):
        return
    seen: set[ast.AST] = set()
    for call in module.calls(*_LOADERS):
        for node in _texts(module, call):
            match = _LIBRARY.fullmatch(str(node.value))
            if (
                match is None
                or node in seen
                or module.guarded(node)
                or module.guarded(call)
                or module.tried(call, "OSError")
            ):
                continue
            if "find_library" in module.text(call.func) and _checked(module, call):
                continue
            seen.add(node)
            detail = f"there is no lib{match[1]} on an AMD machine: OSError"
            yield module.report("AMD6020", node, detail, _fix(module, node, match[1]))


def _texts(module: Module, call: ast.Call) -> Iterator[ast.Constant]:
    """String constants that the argument is made of."""
    for argument in call.args[:1]:
        stack: list[tuple[ast.expr, int]] = [(argument, 0)]
        while stack:
            node, depth = stack.pop()
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node
            elif isinstance(node, ast.IfExp):
                stack += [(node.body, depth), (node.orelse, depth)]
            elif isinstance(node, ast.BoolOp):
                stack += [(v, depth) for v in node.values]
            elif isinstance(node, (ast.Name, ast.Attribute)) and depth < 4:
                stack += [
                    (b.value, depth + 1)
                    for b in module.resolver.bound_to(node)
                    if b.value is not None and b.kind in ("assign", "other")
                ]
                stack += [
                    (d, depth + 1)
                    for b in module.resolver.bound_to(node)
                    if b.kind == "arg" and (d := default(b))
                ]
            elif isinstance(node, (ast.Tuple, ast.List)):
                stack += [(e, depth) for e in node.elts]


def default(binding: Binding) -> ast.expr | None:
    """The default value of a parameter."""
    if not isinstance(binding.scope, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        return None
    arguments = binding.scope.args
    plain = [*arguments.posonlyargs, *arguments.args]
    for argument, value in zip(
        plain[len(plain) - len(arguments.defaults) :], arguments.defaults, strict=True
    ):
        if argument is binding.node:
            return value
    return next(
        (v for a, v in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if a is binding.node),
        None,
    )


def _checked(module: Module, call: ast.Call) -> bool:
    """find_library() itself never fails."""
    above = module.parent(call)
    return not (isinstance(above, ast.Call) and any(n in _LOADERS for n in module.names(above.func)))


def _fix(module: Module, node: ast.Constant, name: str) -> Fix | None:
    if name in _SAME_API:
        return otherwise(module, node, f'"{_SAME_API[name]}"', "RCCL has the same functions")
    return None
