"""AMD2010: torch.backends.cudnn.version() is the MIOpen version on ROCm."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..fixes import and_not_hip, or_hip
from ..module import Module

_NEAR = re.compile(rb"cudnn[^\n]{0,60}\bversion|getVersionInt|cudnn import")


@rule("AMD2010", triggers={"cudnn"})
def cudnn_version_compare(module: Module) -> Iterator[Finding]:
    if not module.mentions(_NEAR):
        return
    seen: set[ast.AST] = set()
    for call in module.calls("torch.backends.cudnn.version", "torch._C._cudnn.getVersionInt"):
        for value in module.flow(call):
            test = module.parent(value)
            if (
                not isinstance(test, ast.Compare)
                or test in seen
                or len(test.ops) != 1
                or module.guarded(test)
            ):
                continue
            op = test.ops[0]
            if not isinstance(op, (ast.Gt, ast.GtE, ast.Lt, ast.LtE)):
                continue
            seen.add(test)
            at_least = isinstance(op, (ast.Gt, ast.GtE)) == (test.left is value)
            above = module.parent(test)
            if isinstance(above, ast.Assert) or (
                isinstance(above, ast.If) and isinstance(above.body[-1], ast.Raise)
            ):
                continue  # a version that is too old is refused: MIOpen's number passes
            fix = (
                and_not_hip(module, test) if at_least else or_hip(module, test, "keep the branch for NVIDIA")
            )
            worth = "true" if at_least else "false"
            yield module.report("AMD2010", test, f"always {worth} on ROCm: MIOpen 3.4.0 answers 3004000", fix)
