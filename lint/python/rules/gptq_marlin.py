"""AMD6021: GPTQModel told to use the Marlin kernel."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..fixes import otherwise
from ..gptq import asked_for, automatic
from ..module import Module


@rule("AMD6021", triggers={"MARLIN", "MARLIN_FP16", "use_marlin", "marlin"})
def gptq_marlin(module: Module) -> Iterator[Finding]:
    for use in asked_for(module, "MARLIN", "MARLIN_FP16"):
        detail = "NotImplementedError: the Marlin kernel is not there on ROCm"
        yield module.report("AMD6021", use, detail, automatic(module, use))
    for keyword in module.keywords("backend"):
        value = keyword.value
        call = module.parent(keyword)
        if (
            isinstance(value, ast.Constant)
            and value.value in ("marlin",)
            and isinstance(call, ast.Call)
            and any("GPTQ" in n for n in module.names(call.func))
        ) and not module.guarded(keyword):
            fix = otherwise(module, value, '"auto"', "let the library choose on ROCm")
            yield module.report(
                "AMD6021", keyword, "NotImplementedError: the Marlin kernel is not there on ROCm", fix
            )
    for keyword in module.keywords("use_marlin"):
        if (
            isinstance(keyword.value, ast.Constant)
            and keyword.value.value is True
            and not module.guarded(keyword)
        ):
            fix = otherwise(module, keyword.value, "False", "another kernel on ROCm")
            yield module.report("AMD6021", keyword, "the Marlin kernel is not there on ROCm", fix)
