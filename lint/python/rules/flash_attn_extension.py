"""AMD6009: the compiled modules inside flash-attn imported directly."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..fixes import only_on_nvidia
from ..module import Module
from ..packages import Import, optional, required

_MODULES = (
    "flash_attn_2_cuda",
    "flash_attn_cuda",
    "dropout_layer_norm",
    "rotary_emb",
    "fused_dense_lib",
    "xentropy_cuda_lib",
    "fused_softmax_lib",
)


@rule("AMD6009", triggers=set(_MODULES))
def flash_attn_extension(module: Module) -> Iterator[Finding]:
    for stmt, dotted in required(module, *_MODULES):
        if isinstance(stmt, ast.ImportFrom) and stmt.level:
            continue
        name = dotted.partition(".")[0]
        yield module.report(
            "AMD6009",
            stmt,
            f"{name} is compiled for CUDA; on ROCm it exists only in some builds, or not at all",
            _fix(module, stmt),
        )


def _fix(module: Module, stmt: Import) -> Fix | None:
    if not isinstance(stmt, ast.Import) or len(stmt.names) != 1 or stmt.names[0].name != "flash_attn_2_cuda":
        return optional(module, stmt)
    bound = stmt.names[0].asname or stmt.names[0].name
    amd = "from flash_attn.flash_attn_interface import flash_attn_gpu" + (
        f" as {bound}" if bound != "flash_attn_gpu" else ""
    )
    return only_on_nvidia(module, stmt, "let flash_attn choose its AMD back end", amd)
