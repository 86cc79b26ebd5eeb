"""The part of torch's build-time hipify that the examples need: headers and names, by HIPIFY's tables."""

from __future__ import annotations

import re

from amdlint.kb.facts.cuda import cuda_name

# The names that torch hipify leaves alone although HIPIFY knows them: what several rules are about.
_LEFT_ALONE = re.compile(
    r"CUDART_\w+|CUBLAS_COMPUTE_32F_FAST_16BF|CUBLASLT_EPILOGUE_DGELU\w*|cudaStreamPerThread|cudaStreamLegacy|nv_bfloat162?"
    r"|cudaLaunchKernelEx\w*|cudaLaunchConfig_t|__nv_fp8\w*|cusolver\w*\.h|math_constants\.h|cuda_fp8\.h|mma\.h|cudaFunction_t"
)
_CUDA_WORD = re.compile(r"\b(?:cuda|cu|CU|cublas|CUBLAS|cufft|curand|__nv_)[A-Za-z_0-9]\w*\b")
# Names of torch's table that HIPIFY's does not have.
_MORE = {
    "cuda_bf16.h": "hip/hip_bf16.h",
    "nccl.h": "rccl/rccl.h",
    "nvtxRangePushA": "roctxRangePushA",
    "nvtxRangePop": "roctxRangePop",
}
_INCLUDE = re.compile(r"(#\s*include\s*<)([^>]+)(>)")


def hipified(text: str) -> str:
    """The text as a ROCm build of a torch extension would compile it."""

    def header(m: re.Match[str]) -> str:
        name = m.group(2)
        if name in _MORE:
            return f"{m.group(1)}{_MORE[name]}{m.group(3)}"
        row = None if _LEFT_ALONE.fullmatch(name) else cuda_name(name)
        if name.startswith("cub/"):
            return f"{m.group(1)}hipcub/hipcub.hpp{m.group(3)}"
        return f"{m.group(1)}{row.hip}{m.group(3)}" if row and row.hip else m.group()

    def word(m: re.Match[str]) -> str:
        name = m.group()
        row = None if _LEFT_ALONE.fullmatch(name) else cuda_name(name)
        return row.hip if row and row.hip and re.fullmatch(r"\w+", row.hip) else name

    text = _INCLUDE.sub(header, text)
    text = re.sub(r"\bcub::(WarpReduce|BlockReduce|DeviceRadixSort)\b", r"hipcub::\1", text)
    text = _CUDA_WORD.sub(word, text)
    text = re.sub(r"\bnvtxRange\w+", lambda m: _MORE.get(m.group(), m.group()), text)
    if ".cu" not in text:
        text = re.sub(r"\bstd::(max|min)\(", r"::\1(", text)
    return text
