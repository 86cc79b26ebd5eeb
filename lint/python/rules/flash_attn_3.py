"""AMD6006: FlashAttention 3 imported without another choice."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..fixes import only_on_nvidia
from ..module import Module
from ..packages import Import, once, required

# Functions that flash_attn 2, which has AMD kernels, offers under the same name.
_IN_FA2 = {
    "flash_attn_func",
    "flash_attn_varlen_func",
    "flash_attn_with_kvcache",
    "flash_attn_qkvpacked_func",
}


@rule("AMD6006", triggers={"flash_attn_interface", "flash_attn_3", "flash_attn_3_cuda"})
def flash_attn_3(module: Module) -> Iterator[Finding]:
    yield from once(
        module,
        (
            module.report(
                "AMD6006",
                stmt,
                "FlashAttention 3 is made of Hopper instructions: there is no build for AMD",
                _fix(module, stmt),
            )
            for stmt, _ in required(module, "flash_attn_interface", "flash_attn_3", "flash_attn_3_cuda")
        ),
    )


def _fix(module: Module, stmt: Import) -> Fix | None:
    if isinstance(stmt, ast.Import) and len(stmt.names) == 1 and stmt.names[0].name == "flash_attn_interface":
        bound = stmt.names[0].asname or stmt.names[0].name
        used = [module.parent(h) for h in module.hits(bound) if isinstance(h, ast.Name)]
        if not all(isinstance(u, ast.Attribute) and u.attr in _IN_FA2 for u in used):
            return None
        return only_on_nvidia(module, stmt, "take FlashAttention 2 on ROCm", f"import flash_attn as {bound}")
    if not isinstance(stmt, ast.ImportFrom) or not all(a.name in _IN_FA2 for a in stmt.names):
        return None
    names = ", ".join(f"{a.name} as {a.asname}" if a.asname else a.name for a in stmt.names)
    return only_on_nvidia(module, stmt, "take FlashAttention 2 on ROCm", f"from flash_attn import {names}")
