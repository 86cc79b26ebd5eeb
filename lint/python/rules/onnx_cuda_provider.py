"""AMD6025: ONNX Runtime sessions that name CUDA alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..module import Module

_CUDA = ("CUDAExecutionProvider", "TensorrtExecutionProvider")
_AMD = ("MIGraphXExecutionProvider", "ROCMExecutionProvider")


@rule("AMD6025", triggers=set(_CUDA))
def onnx_cuda_provider(module: Module) -> Iterator[Finding]:
    if module.words & set(_AMD):
        return
    seen: set[ast.AST] = set()
    for node in module.strings("CUDAExecutionProvider"):
        if node.value != "CUDAExecutionProvider" or module.guarded(node):
            continue
        if _filtered(module, node):
            continue
        place = _list(module, node)
        if place is None or place in seen:
            continue
        seen.add(place)
        yield module.report(
            "AMD6025",
            node,
            "not there on AMD: the session silently runs on the CPU",
            _fix(module, node, place),
        )


def _filtered(module: Module, node: ast.Constant) -> bool:
    """Whether the function asks which providers there are."""
    function = module.function(node)
    region = module.text(function) if function is not None else module.source.data.decode("utf-8", "replace")
    return "get_available_providers" in region


def _list(module: Module, node: ast.Constant) -> ast.AST | None:
    above = module.parent(node)
    if isinstance(above, ast.Tuple):  # ("CUDAExecutionProvider", {options})
        above = module.parent(above)
    if isinstance(above, ast.List):
        holder = module.parent(above)
        if isinstance(holder, ast.keyword) and holder.arg == "providers":
            return above
        if isinstance(holder, (ast.Assign, ast.IfExp, ast.Return)) and (
            "onnxruntime" in module.words or "provider" in module.text(holder).lower()
        ):
            return above
        if isinstance(holder, ast.Call):
            return above
    if isinstance(above, ast.keyword) and above.arg in ("provider", "providers"):
        return above
    return None


def _fix(module: Module, node: ast.Constant, place: ast.AST) -> Fix | None:
    """The AMD provider joins the list where this build of ONNX Runtime has it: never on NVIDIA."""
    if not isinstance(place, ast.List):
        return None
    runtime = next((a.asname or d for _, a, d in module.imports("onnxruntime") if d == "onnxruntime"), None)
    if runtime is None or not module.resolver.visible(runtime, node):
        return None
    element = next(e for e in place.elts if e is node or node in getattr(e, "elts", ()))
    name = '"MIGraphXExecutionProvider"'
    text = f"*([{name}] if {name} in {runtime}.get_available_providers() else []), "
    return Fix("safe", "offer MIGraphX where it is there", (module.before(element, text),))
