"""AMD6008: varlen_attn(num_splits=...)."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..fixes import splice_keywords
from ..module import Module


@rule("AMD6008", triggers={"num_splits"})
def varlen_num_splits(module: Module) -> Iterator[Finding]:
    for keyword in module.keywords("num_splits"):
        call = module.parent(keyword)
        if not isinstance(call, ast.Call) or (
            isinstance(keyword.value, ast.Constant) and keyword.value.value is None
        ):
            continue
        if not any(
            n.startswith("torch.nn.attention.varlen.varlen_attn") for n in module.names(call.func)
        ) or module.guarded(keyword):
            continue
        fix = splice_keywords(module, [keyword], "pass num_splits on NVIDIA only")
        yield module.report("AMD6008", keyword, "RuntimeError: num_splits is not supported on ROCm", fix)
