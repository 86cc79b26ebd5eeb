"""AMD6012: TensorRT."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..module import Module
from ..packages import optional, required


@rule("AMD6012", triggers={"tensorrt", "torch_tensorrt", "trtllm", "tensorrt_llm", "torch2trt"})
def tensorrt(module: Module) -> Iterator[Finding]:
    for stmt, _ in required(module, "tensorrt", "torch_tensorrt", "tensorrt_llm", "torch2trt"):
        yield module.report(
            "AMD6012",
            stmt,
            "TensorRT exists for NVIDIA only: torch.compile or torch_migraphx is the way on AMD",
            optional(module, stmt),
        )
