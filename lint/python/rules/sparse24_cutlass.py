"""AMD5004: 2:4 sparsity forced onto CUTLASS."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..fixes import torch_name
from ..module import Module


@rule("AMD5004", triggers={"_FORCE_CUTLASS"})
def sparse24_cutlass(module: Module) -> Iterator[Finding]:
    for node in module.hits("_FORCE_CUTLASS"):
        above = module.parent(node)
        if (
            isinstance(node, ast.Attribute)
            and isinstance(above, ast.Assign)
            and isinstance(above.value, ast.Constant)
            and above.value.value is True
        ) and not module.guarded(node):
            torch = torch_name(module, node)
            fix = None
            if torch is not None:
                edit = module.replace(above.value, f"{torch[0]}.version.hip is None")
                fix = Fix("safe", "CUTLASS on NVIDIA, hipSPARSELt on ROCm", (edit,), imports=torch[1])
            yield module.report(
                "AMD5004", above, "no CUTLASS kernels in a ROCm build: hipSPARSELt does it there", fix
            )
