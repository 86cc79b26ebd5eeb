"""AMD1005: shared_memory_per_block_optin is not bound in ROCm builds."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..module import Module

_NAME = "shared_memory_per_block_optin"


@rule("AMD1005", triggers={_NAME})
def smem_optin(module: Module) -> Iterator[Finding]:
    for node in module.hits(_NAME):
        if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load):
            continue
        if not _from_torch(module, node.value) or _asked_before(module, node):
            continue
        if module.guarded(node) or module.tried(node, "AttributeError"):
            continue
        yield module.report(
            "AMD1005",
            node,
            "AttributeError on ROCm: the properties of an AMD GPU have no such field",
            _fix(module, node),
        )


def _from_torch(module: Module, owner: ast.expr) -> bool:
    """The device properties of torch, or something that may be them (a parameter)."""
    if isinstance(owner, ast.Call):
        return any(n.endswith("get_device_properties") for n in module.names(owner.func))
    bound = module.resolver.bound_to(owner)
    values = [b.value for b in bound if b.value is not None]
    if not values:
        return any(b.kind == "arg" for b in bound) and "torch" in module.words
    return any(
        isinstance(v, ast.Call) and any(n.endswith("get_device_properties") for n in module.names(v.func))
        for v in values
    )


def _asked_before(module: Module, node: ast.Attribute) -> bool:
    """Whether hasattr() is asked for the field in the same function."""
    for other in module.hits(_NAME):
        if isinstance(other, ast.Constant):
            above = module.parent(other)
            if (
                isinstance(above, ast.Call)
                and isinstance(above.func, ast.Name)
                and above.func.id == "hasattr"
            ):
                return True
    return False


def _fix(module: Module, node: ast.Attribute) -> Fix | None:
    if module.fstring(node) is not None:
        return None
    owner = module.text(node.value)
    # Every current AMD target but gfx950 (160 KiB) gives a block 64 KiB of LDS.
    return Fix(
        "safe",
        "fall back to the 64 KiB of LDS",
        (module.replace(node, f'getattr({owner}, "{_NAME}", 65536)'),),
    )
