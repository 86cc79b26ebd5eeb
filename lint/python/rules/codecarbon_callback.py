"""AMD6004: codecarbon as a reporter of transformers."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..fixes import otherwise, splice_elements
from ..module import Module


@rule("AMD6004", triggers={"codecarbon", "CodeCarbonCallback"})
def codecarbon_callback(module: Module) -> Iterator[Finding]:
    for node in module.strings("codecarbon"):
        if node.value == "codecarbon" and _reports_to(module, node) and not module.guarded(node):
            yield module.report(
                "AMD6004", node, "transformers raises RuntimeError for it on ROCm", _fix(module, node)
            )
    for call in module.calls(
        "transformers.integrations.CodeCarbonCallback",
        "transformers.integrations.integration_utils.CodeCarbonCallback",
    ):
        if not module.guarded(call):
            yield module.report("AMD6004", call, "transformers raises RuntimeError for it on ROCm")


def _reports_to(module: Module, node: ast.Constant) -> bool:
    above = module.parent(node)
    if isinstance(above, (ast.List, ast.Tuple)):
        above = module.parent(above)
    return isinstance(above, ast.keyword) and above.arg == "report_to"


def _fix(module: Module, node: ast.Constant) -> Fix | None:
    above = module.parent(node)
    message = "report to codecarbon on NVIDIA only"
    if isinstance(above, ast.List):
        return splice_elements(module, [node], message)
    return otherwise(module, node, '"none"', message)
