"""AMD6024: attention limited to one back end that a card may not have."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..fixes import otherwise, torch_name
from ..module import Module

_BACKENDS = ("FLASH_ATTENTION", "CUDNN_ATTENTION", "EFFICIENT_ATTENTION")
_ENUM = {
    f"{m}.SDPBackend.{b}"
    for b in _BACKENDS
    for m in ("torch.nn.attention", "torch.backends.cuda", "torch._C")
}


@rule("AMD6024", triggers={"SDPBackend", "sdp_kernel"})
def sdpa_single_backend(module: Module) -> Iterator[Finding]:
    yield from _old_switches(module)
    seen: set[ast.AST] = set()
    for call in module.calls("torch.nn.attention.sdpa_kernel"):
        chosen = (
            call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "backends"), None)
        )
        for place in _literals(module, chosen):
            if (
                place not in seen
                and _only_fast(module, place)
                and not module.guarded(call)
                and not module.guarded(place)
                and not module.tried(call, "RuntimeError")
                and not _asked(module, call)
            ):
                seen.add(place)
                several = isinstance(place, (ast.List, ast.Tuple)) and len(place.elts) > 1
                yield module.report(
                    "AMD6024",
                    place,
                    '"No available kernel" on cards without it: RDNA2, MI100, and RDNA3 without the experimental switch',
                    _fix(module, place),
                    # A list of fast kernels serves every card that AOTriton knows.
                    severity="note" if several else None,
                )


def _asked(module: Module, call: ast.Call) -> bool:
    """``if torch.backends.cuda.can_use_flash_attention(params):`` around it."""
    return any(
        isinstance(above, (ast.If, ast.IfExp)) and "can_use_" in module.text(above.test)
        for above in module.parents(call)
    )


def _old_switches(module: Module) -> Iterator[Finding]:
    """``torch.backends.cuda.sdp_kernel(enable_math=False)``, the older context manager."""
    for call in module.calls("torch.backends.cuda.sdp_kernel"):
        math = next((k for k in call.keywords if k.arg == "enable_math"), None)
        off = math is not None and isinstance(math.value, ast.Constant) and math.value.value is False
        if math is None or not off or module.guarded(call) or module.tried(call, "RuntimeError"):
            continue
        torch = torch_name(module, call)
        fix = None
        if torch is not None:
            edit = module.replace(math.value, f"{torch[0]}.version.hip is not None")
            fix = Fix("safe", "fall back to the plain kernel on ROCm", (edit,), imports=torch[1])
        yield module.report("AMD6024", math, '"No available kernel" on cards without the fast ones', fix)


def _literals(module: Module, node: ast.expr | None) -> Iterator[ast.expr]:
    """The list, or the single back end, that is passed."""
    if node is None:
        return
    if isinstance(node, (ast.List, ast.Tuple)) or (
        module.names(node) & _ENUM
        and isinstance(node, ast.Attribute)
        and not any(b.value for b in module.resolver.attributes(node))
    ):
        yield node
    elif isinstance(node, (ast.Name, ast.Attribute)):
        for binding in module.resolver.bound_to(node):
            if binding.kind == "assign" and binding.value is not None:
                yield from _literals(module, binding.value)


def _only_fast(module: Module, place: ast.expr) -> bool:
    elements = place.elts if isinstance(place, (ast.List, ast.Tuple)) else [place]
    named = [module.names(e) & _ENUM for e in elements]
    # flash and memory-efficient attention exist on the same cards (AOTriton): one is no fallback of the other
    return bool(named) and all(named)


def _fix(module: Module, place: ast.expr) -> Fix | None:
    first = place.elts[-1] if isinstance(place, (ast.List, ast.Tuple)) else place
    if not isinstance(first, ast.Attribute) or module.fstring(place) is not None:
        return None
    math = f"{module.text(first.value)}.MATH"
    reason = "Where the fast kernel cannot take the inputs, NVIDIA cards will now compute with the slow one instead of failing."
    if isinstance(place, (ast.List, ast.Tuple)):
        return _on_rocm(module, place, first, math)
    return otherwise(
        module,
        place,
        f"[{module.text(place)}, {math}]",
        "fall back to the plain kernel on ROCm",
        reason=reason,
    )


def _on_rocm(module: Module, place: ast.List | ast.Tuple, last: ast.expr, math: str) -> Fix | None:
    torch = torch_name(module, place)
    if torch is None:
        return None
    inner = "[" + math + "]"
    edit = module.after(last, f", *({inner} if {torch[0]}.version.hip is not None else [])")
    return Fix("safe", "fall back to the plain kernel on ROCm", (edit,), imports=torch[1])
