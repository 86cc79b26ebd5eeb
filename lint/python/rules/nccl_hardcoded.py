"""AMD4001: the "nccl" back end, which is RCCL on ROCm, without another choice."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..module import Module

_NEAR = (b"nccl",)


@rule("AMD4001", triggers={"init_process_group"})
def nccl_hardcoded(module: Module) -> Iterator[Finding]:
    if not module.holds(*_NEAR):
        return
    for call in module.calls(
        "torch.distributed.init_process_group", "torch.distributed.distributed_c10d.init_process_group"
    ):
        backend = (
            call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "backend"), None)
        )
        if (
            isinstance(backend, ast.Constant)
            and backend.value == "nccl"
            and not module.guarded(call)
            and not module.tried(call, "Exception")
        ):
            yield module.report(
                "AMD4001",
                backend,
                '"nccl" is RCCL on ROCm; neither exists on Windows or in a CPU build',
                _fix(module, call, backend),
            )


def _fix(module: Module, call: ast.Call, backend: ast.Constant) -> Fix | None:
    if module.fstring(backend) is not None:
        return None
    imports: tuple[str, ...] = ()
    if isinstance(call.func, ast.Attribute):
        asked = f"{module.text(call.func.value)}.is_nccl_available()"
    elif isinstance(call.func, ast.Name) and all(
        b.dotted == "torch.distributed.is_nccl_available"
        for b in module.resolver.visible("is_nccl_available", call)
    ):
        asked = "is_nccl_available()"
        imports = ("from torch.distributed import is_nccl_available",)
    else:
        return None
    quote = module.text(backend)[0]
    return Fix(
        "safe",
        "gloo where neither NCCL nor RCCL is built in",
        (module.after(backend, f" if {asked} else {quote}gloo{quote}"),),
        imports=imports,
    )
