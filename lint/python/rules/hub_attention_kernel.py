"""AMD6029: an attention kernel that is built for NVIDIA alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..fixes import display, otherwise
from ..module import Module

_KERNEL = re.compile(r"flash_attention_4|kernels-community/(?:vllm-flash-attn3|flash-attn[34])(?:@\S+)?")
_WORDS = ("flash_attention_4", "attn3", "attn4")
_TAKES = {"set_attn_implementation", "get_kernel"}


@rule("AMD6029", triggers=set(_WORDS))
def hub_attention_kernel(module: Module) -> Iterator[Finding]:
    if module.source.path.name.startswith(("test_", "conftest")):
        return  # names that a test hands around load nothing
    for node in module.strings(*_WORDS):
        if not isinstance(node.value, str) or not _KERNEL.fullmatch(node.value) or module.guarded(node):
            continue
        for place in module.flow(node):
            if not _chooses(module, place) or module.guarded(place) or module.tried(place, "ImportError"):
                continue
            call = module.parent(place)
            loads = isinstance(call, ast.Call) and "get_kernel" in module.text(call.func)
            fix = None
            if "vllm" in node.value:  # gpt-oss, for which this kernel is made, takes no flash_attention_2
                fix = display("AMD's kernel on ROCm", '"kernels-community/aiter-flash-attn"')
            elif not loads:
                fix = otherwise(module, node, '"flash_attention_2"', "FlashAttention 2 on ROCm")
            yield module.report("AMD6029", node, f"{node.value} has no build for AMD", fix)
            break


def _chooses(module: Module, node: ast.expr) -> bool:
    """Whether a model takes its attention from this value."""
    above = module.parent(node)
    match above:
        case ast.keyword():
            return above.arg == "attn_implementation"
        case ast.Call() if above.args and above.args[0] is node:
            names = {n.rpartition(".")[2] for n in module.names(above.func)}
            names.add(above.func.attr if isinstance(above.func, ast.Attribute) else "")
            return not names.isdisjoint(_TAKES)
        case ast.Assign() if above.value is node:
            target = above.targets[0]
            return isinstance(target, ast.Attribute) and target.attr in (
                "_attn_implementation",
                "attn_implementation",
            )
        case ast.Dict() if node in above.values:
            key = above.keys[above.values.index(node)]
            return isinstance(key, ast.Constant) and key.value == "attn_implementation"
    return False
