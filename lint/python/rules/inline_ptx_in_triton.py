"""AMD3010: PTX in tl.inline_asm_elementwise."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..module import Module
from ..values import text_of

_PTX = re.compile(
    r"(?:^|[\s{;(])(?:cvt|mov|mul|mad|add|sub|fma|ex2|lg2|tanh|rcp|rsqrt|sqrt|sin|cos|ld|st|red|atom|prmt|lop3|shl|shr|shfl|and|or|xor|min|max|neg|abs"
    r"|bfe|bfi|set|setp|selp|membar|fence|cp|bar|mma|wgmma|griddepcontrol|nanosleep|div)\.[a-z0-9_:.]+|%(?:laneid|smid|globaltimer|warpid|clock)"
)


@rule("AMD3010", triggers={"inline_asm_elementwise"})
def inline_ptx_in_triton(module: Module) -> Iterator[Finding]:
    for call in module.calls(
        "triton.language.inline_asm_elementwise", "triton.language.core.inline_asm_elementwise"
    ):
        asm = call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "asm"), None)
        text = text_of(module, asm)
        if text is None or not _PTX.search(text) or module.guarded(call):
            continue
        severity = "note" if _chosen(module, call) else None
        yield module.report(
            "AMD3010",
            call,
            "LLVM cannot assemble PTX for AMD and ends the whole process: no except helps",
            severity=severity,
        )


def _chosen(module: Module, call: ast.Call) -> bool:
    """Under a constexpr parameter the caller decides."""
    function = module.function(call)
    if function is None:
        return False
    arguments = {
        a.arg
        for a in [*function.args.args, *function.args.kwonlyargs]
        if a.annotation is not None and "constexpr" in module.text(a.annotation)
    }
    for above in module.parents(call):
        if above is function:
            break
        if isinstance(above, (ast.If, ast.IfExp)) and any(
            isinstance(n, ast.Name) and n.id in arguments for n in module.walk(above.test)
        ):
            return True
    return False
