"""AMD7002: pods that ask for nvidia.com/gpu."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..module import Module

_NVIDIA = "nvidia.com/gpu"
_NEAR = (b"nvidia.com/gpu",)


@rule("AMD7002", triggers={"nvidia"})
def kubernetes_gpu_resource(module: Module) -> Iterator[Finding]:
    if not module.holds(*_NEAR):
        return
    if b"amd.com/gpu" in module.source.data or _NVIDIA.encode() not in module.source.data:
        return
    for node in module.strings("nvidia"):
        if node.value != _NVIDIA or module.guarded(node) or not _asked_for(module, node):
            continue
        yield module.report(
            "AMD7002",
            node,
            "the pod is never scheduled on AMD nodes: they offer amd.com/gpu",
            _fix(module, node),
        )


def _asked_for(module: Module, node: ast.Constant) -> bool:
    """A key of a mapping, or a constant that names the resource; not a test or a look-up."""
    above = module.parent(node)
    if isinstance(above, ast.Dict):
        return node in above.keys
    if isinstance(above, ast.Subscript):
        return isinstance(above.ctx, ast.Store)
    if isinstance(above, ast.arguments):
        return True
    if isinstance(above, ast.Assign):
        # NVIDIA_GPU = "nvidia.com/gpu" only names NVIDIA's resource
        return not any("nvidia" in module.text(t).lower() for t in above.targets)
    return isinstance(above, ast.AnnAssign) or (
        isinstance(above, ast.keyword)
        and "resource" in (above.arg or "")
        and not isinstance(module.parent(above), ast.ClassDef)
    )


def _fix(module: Module, node: ast.Constant) -> Fix | None:
    visible = module.resolver.visible("os", node)
    if module.fstring(node) is not None or (visible and not any(b.dotted == "os" for b in visible)):
        return None
    quote = module.text(node)[0]
    other = '"' if quote == "'" else quote
    text = f"{other}amd.com/gpu{other} if os.environ.get({other}GPU_VENDOR{other}) == {other}amd{other} else {module.text(node)}"
    if isinstance(module.parent(node), ast.arguments):
        return None
    above = module.parent(node)
    if isinstance(above, ast.Dict):
        text = f"({text})"
    return Fix(
        "safe", "name the resource by GPU_VENDOR", (module.replace(node, text),), imports=("import os",)
    )
