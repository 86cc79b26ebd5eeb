"""AMD6005: apex imported without another choice."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..fixes import only_on_nvidia, torch_name
from ..module import Module
from ..packages import Import, once, required

# What torch offers for what apex is used for: an expression, its import, and the keywords that both take.
_ADAM = {"lr", "betas", "eps", "weight_decay", "amsgrad", "params"}
_TWINS: dict[str, tuple[str, set[str]]] = {
    "apex.optimizers.FusedAdam": ("functools.partial(torch.optim.AdamW, weight_decay=0.0)", _ADAM),
    "apex.optimizers.FusedSGD": (
        "torch.optim.SGD",
        {"lr", "momentum", "dampening", "weight_decay", "nesterov", "params"},
    ),
    "apex.parallel.DistributedDataParallel": ("torch.nn.parallel.DistributedDataParallel", set()),
    "apex.normalization.FusedLayerNorm": (
        "torch.nn.LayerNorm",
        {"normalized_shape", "eps", "elementwise_affine"},
    ),
    "apex.normalization.FusedRMSNorm": (
        "functools.partial(torch.nn.RMSNorm, eps=1e-5)",
        {"normalized_shape", "eps", "elementwise_affine"},
    ),
    "apex.normalization.fused_layer_norm.FusedLayerNorm": (
        "torch.nn.LayerNorm",
        {"normalized_shape", "eps", "elementwise_affine"},
    ),
}


@rule("AMD6005", triggers={"apex"})
def apex_required(module: Module) -> Iterator[Finding]:
    yield from once(
        module,
        (
            module.report(
                "AMD6005",
                stmt,
                "NVIDIA apex does not build on ROCm; the fork of AMD does",
                _fix(module, stmt),
            )
            for stmt, _ in required(module, "apex")
        ),
    )


def _fix(module: Module, stmt: Import) -> Fix | None:
    torch = torch_name(module, stmt)
    if not isinstance(stmt, ast.ImportFrom) or torch is None or torch[0] != "torch":
        return None
    lines, extra = [], []
    for alias in stmt.names:
        twin = _TWINS.get(f"{stmt.module}.{alias.name}")
        bound = alias.asname or alias.name
        if twin is None or not _only_called(module, bound, twin[1]):
            return None
        lines.append(f"{bound} = {twin[0]}")
        if "functools" in twin[0]:
            extra.append("import functools")
    fix = only_on_nvidia(module, stmt, "take torch's own on ROCm", "\n".join(lines))
    if fix is None:
        return None
    return Fix("safe", fix.message, fix.edits, imports=(*fix.imports, *dict.fromkeys(extra)))


def _only_called(module: Module, name: str, keywords: set[str]) -> bool:
    """Whether all that happens to the name are calls with arguments that torch's class takes too."""
    for hit in module.hits(name):
        if isinstance(hit, ast.Name) and isinstance(hit.ctx, ast.Load):
            call = module.parent(hit)
            if (
                not isinstance(call, ast.Call)
                or call.func is not hit
                or not all(k.arg in keywords for k in call.keywords)
            ):
                return False
    return True
