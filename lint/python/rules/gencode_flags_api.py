"""AMD2006: torch.cuda.get_gencode_flags() cannot read gfx names."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..fixes import otherwise
from ..module import Module


@rule("AMD2006", triggers={"get_gencode_flags"})
def gencode_flags_api(module: Module) -> Iterator[Finding]:
    for call in module.calls("torch.cuda.get_gencode_flags"):
        if not module.guarded(call) and not module.tried(call, "Exception"):
            yield module.report(
                "AMD2006",
                call,
                'raises ValueError on ROCm: "gfx942" has no two parts to unpack',
                _fix(module, call),
            )


def _fix(module: Module, call: ast.Call) -> Fix | None:
    return otherwise(module, call, '""', "ask only on NVIDIA: torch adds --offload-arch itself on ROCm")
