"""AMD6023: vLLM told to use kernels that its ROCm platform does not have."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..fixes import only_on_nvidia, otherwise
from ..module import Module

# value of quantization=: what vLLM's ROCm platform takes for such weights ("None": it reads the checkpoint)
_QUANTIZATION = {
    "gptq_marlin": '"gptq"',
    "awq_marlin": '"awq"',
    "marlin": "None",
    "gptq_marlin_24": "None",
    "bitblas": "None",
    "gptq_bitblas": '"gptq"',
}
_ATTENTION = {"FLASHINFER", "XFORMERS", "CUTLASS_MLA", "FLASHMLA", "FLASH_ATTN_VLLM_V1"}
_ENGINES = {"LLM", "EngineArgs", "AsyncEngineArgs", "ModelConfig"}


@rule("AMD6023", triggers={*_QUANTIZATION, "VLLM_ATTENTION_BACKEND", "fp8_e5m2"})
def vllm_nvidia_backend(module: Module) -> Iterator[Finding]:
    if "vllm" not in module.words and "VLLM_ATTENTION_BACKEND" not in module.words:
        return
    for keyword in module.keywords("quantization", "kv_cache_dtype"):
        call, value = module.parent(keyword), keyword.value
        if not isinstance(call, ast.Call) or not isinstance(value, ast.Constant) or module.guarded(keyword):
            continue
        if not any(
            n.startswith("vllm.") and n.rpartition(".")[2] in _ENGINES for n in module.names(call.func)
        ):
            continue
        if keyword.arg == "quantization" and value.value in _QUANTIZATION:
            fix = otherwise(
                module, value, _QUANTIZATION[str(value.value)], "the kernel that ROCm has for these weights"
            )
            yield module.report(
                "AMD6023", keyword, f"{value.value} is not in the list of vLLM's ROCm platform", fix
            )
        elif keyword.arg == "kv_cache_dtype" and value.value == "fp8_e5m2":
            fix = otherwise(module, value, '"fp8"', "fp8 on ROCm")
            yield module.report("AMD6023", keyword, "vLLM on ROCm has no fp8_e5m2 cache", fix)
    for node in module.strings("VLLM_ATTENTION_BACKEND"):
        value_node = _set_to(module, node)
        if value_node is None or value_node.value not in _ATTENTION:
            continue
        if module.guarded(node) or module.guards.on_trial(node):
            continue
        statement = module.statement(node)
        whole = isinstance(statement, (ast.Assign, ast.Expr)) and not isinstance(
            module.parent(node), ast.Dict
        )
        fix = only_on_nvidia(module, statement, "leave the choice to vLLM on ROCm") if whole else None
        yield module.report("AMD6023", value_node, f"{value_node.value} exists for NVIDIA only", fix)


def _set_to(module: Module, node: ast.Constant) -> ast.Constant | None:
    above = module.parent(node)
    value: ast.expr | None = None
    if isinstance(above, ast.Subscript) and isinstance(above.ctx, ast.Store):
        holder = module.parent(above)
        value = holder.value if isinstance(holder, ast.Assign) else None
    elif isinstance(above, ast.Dict) and node in above.keys:
        value = above.values[above.keys.index(node)]
    elif (
        isinstance(above, ast.Call)
        and len(above.args) == 2
        and above.args[0] is node
        and isinstance(above.func, ast.Attribute)
        and above.func.attr == "setdefault"
    ):
        value = above.args[1]
    return value if isinstance(value, ast.Constant) else None
