"""AMD6028: green contexts of torch.cuda."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..module import Module


@rule("AMD6028", triggers={"green_contexts", "GreenContext"})
def green_context(module: Module) -> Iterator[Finding]:
    for use in module.uses("torch.cuda.green_contexts.GreenContext", "torch.cuda.GreenContext"):
        above = module.parent(use)
        if (
            isinstance(above, ast.Attribute)
            and above.attr == "create"
            and not module.guarded(use)
            and not module.tried(use, "RuntimeError")
        ):
            yield module.report(
                "AMD6028", module.parent(above) or above, "RuntimeError: ROCm builds have no green contexts"
            )
