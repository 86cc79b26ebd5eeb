"""AMD6022: the exllama v2 kernel, which computes wrong numbers on AMD."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..fixes import otherwise
from ..gptq import asked_for, automatic
from ..module import Module


@rule("AMD6022", triggers={"EXLLAMA_V2", "exllama_config", "ExllamaVersion", "exllama_v2"})
def exllamav2(module: Module) -> Iterator[Finding]:
    for use in asked_for(module, "EXLLAMA_V2"):
        yield module.report(
            "AMD6022", use, "withdrawn for ROCm by GPTQModel: wrong results", automatic(module, use)
        )
    for node in module.strings("exllama_v2"):
        keyword = module.parent(node)
        if (
            node.value == "exllama_v2"
            and isinstance(keyword, ast.keyword)
            and keyword.arg == "backend"
            and not module.guarded(node)
        ):
            yield module.report(
                "AMD6022",
                node,
                "withdrawn for ROCm by GPTQModel: wrong results",
                otherwise(module, node, '"auto"', "let the library choose on ROCm"),
            )
    for keyword in module.keywords("exllama_config"):
        value = keyword.value
        if not isinstance(value, ast.Dict) or module.guarded(keyword):
            continue
        for key, version in zip(value.keys, value.values, strict=True):
            if (
                isinstance(key, ast.Constant)
                and key.value == "version"
                and isinstance(version, ast.Constant)
                and version.value == 2
            ):
                fix = otherwise(module, version, "1", "the first exllama kernel on ROCm")
                yield module.report("AMD6022", keyword, "withdrawn for ROCm by GPTQModel: wrong results", fix)
