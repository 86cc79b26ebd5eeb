"""AMD6012: TensorRT."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..fixes import otherwise
from ..module import Module
from ..packages import once, optional, required

_BACKENDS = ("tensorrt", "torch_tensorrt")


@rule("AMD6012", triggers={"tensorrt", "torch_tensorrt", "trtllm", "tensorrt_llm", "torch2trt"})
def tensorrt(module: Module) -> Iterator[Finding]:
    yield from once(
        module,
        (
            module.report(
                "AMD6012",
                stmt,
                "TensorRT exists for NVIDIA only: torch.compile or torch_migraphx is the way on AMD",
                optional(module, stmt),
            )
            for stmt, _ in required(module, "tensorrt", "torch_tensorrt", "tensorrt_llm", "torch2trt")
        ),
    )
    for name in _BACKENDS:
        for node in module.strings(name):
            keyword = module.parent(node)
            if (
                node.value != name
                or not isinstance(keyword, ast.keyword)
                or keyword.arg != "backend"
                or module.guarded(node)
            ):
                continue
            call = module.parent(keyword)
            if isinstance(call, ast.Call) and "torch.compile" in module.names(call.func):
                fix = otherwise(module, node, '"inductor"', "inductor on ROCm")
                yield module.report("AMD6012", keyword, "TensorRT exists for NVIDIA only", fix)
