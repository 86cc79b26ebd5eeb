"""AMD6007: torch told to use FlashAttention 3."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..fixes import only_on_nvidia
from ..module import Module


@rule("AMD6007", triggers={"activate_flash_attention_impl"})
def activate_fa3(module: Module) -> Iterator[Finding]:
    for call in module.calls("torch.nn.attention.activate_flash_attention_impl"):
        name = call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "impl"), None)
        if (
            not isinstance(name, ast.Constant)
            or name.value not in ("FA3", "FA4")
            or module.guarded(call)
            or module.tried(call, "ImportError")
        ):
            continue
        statement = module.parent(call)
        fix = (
            only_on_nvidia(module, statement, "keep torch's own flash attention on ROCm")
            if isinstance(statement, ast.Expr)
            else None
        )
        yield module.report("AMD6007", call, f"{name.value} has no ROCm build: ModuleNotFoundError", fix)
