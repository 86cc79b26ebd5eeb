"""AMD2206: CUDA runtime and library names in a build that no hipify translates."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....kb.facts.cuda import cuda_name
from ...finding import Edit, Finding, Fix
from ...rules import rule
from ..lexer import Directive
from ..names import mapped
from ..rewrite import skip_include
from ..unit import Unit

CODE = "AMD2206"
_NAMES = re.compile(
    r"(?:cuda|cublas|cublasLt|cublasXt|curand|cufft|cusparse|cusolver|nvrtc|cu)[A-Z]\w*|(?:CUDA|CUBLAS|CUBLASLT|CURAND|CUFFT|CUSPARSE|CUSOLVER|NVRTC|CU)_\w+"
    r"|cu[A-Z]\w*Complex|make_cu\w*Complex|cuCadd|cuCmul\w?|CU(?:result|context|module|function|device|stream|event|deviceptr|jit_option)|__nv_bfloat16\w*|nvtxRange\w+|nvtxMark\w*"
)
_HEADERS = {
    # headers whose names HIPIFY translates; the rest have rules of their own
    "cuda_runtime.h": "hip/hip_runtime.h", "cuda_runtime_api.h": "hip/hip_runtime_api.h", "cuda.h": "hip/hip_runtime.h", "cuda_fp16.h": "hip/hip_fp16.h",
    "cuda_bf16.h": "hip/hip_bf16.h", "cublas_v2.h": "hipblas/hipblas.h", "cublas.h": "hipblas/hipblas.h", "cublasLt.h": "hipblaslt/hipblaslt.h",
    "curand.h": "hiprand/hiprand.h", "curand_kernel.h": "hiprand/hiprand_kernel.h", "cufft.h": "hipfft/hipfft.h", "cufftXt.h": "hipfft/hipfftXt.h",
    "cusparse.h": "hipsparse/hipsparse.h", "cooperative_groups.h": "hip/hip_cooperative_groups.h", "cuComplex.h": "hip/hip_complex.h",
    "nvrtc.h": "hip/hiprtc.h", "nccl.h": "rccl/rccl.h", "nvToolsExt.h": "roctracer/roctx.h", "cuda_profiler_api.h": "hip/hip_runtime_api.h",
    "device_launch_parameters.h": "", "device_functions.h": "hip/device_functions.h", "driver_types.h": "hip/driver_types.h", "vector_types.h": "hip/hip_vector_types.h",
    "library_types.h": "hip/library_types.h", "channel_descriptor.h": "hip/channel_descriptor.h", "texture_types.h": "hip/texture_types.h",
    "cub/cub.cuh": "hipcub/hipcub.hpp", "vector_functions.h": "hip/hip_vector_types.h", "math_functions.h": "hip/hip_math_constants.h", "cuda_texture_types.h": "hip/texture_types.h",
}  # fmt: skip
_CUB = re.compile(r"cub/(?:block|device|warp|thread|iterator)/\w+\.cuh")


@rule(
    CODE,
    triggers={"cuda_runtime", "cuda_runtime_api", "cuda_fp16", "cuda_bf16", "cublas_v2", "cublasLt", "curand", "curand_kernel", "cufft", "cusparse",
              "cooperative_groups", "cuComplex", "nvrtc", "__global__", "cudaMalloc", "cudaStream_t", "cudaError_t", "cudaGetLastError", "cudaDeviceProp",
              "cudaMemcpy", "cudaDeviceSynchronize", "cudaEvent_t", "CUdevice", "CUcontext", "CUresult", "cudaSuccess", "cudaGetDevice", "cudaDeviceGetAttribute", "cudaFuncSetAttribute", "cudaMemcpyAsync", "cudaFree"},
)  # fmt: skip
def cuda_names(unit: Unit) -> Iterator[Finding]:
    """One finding a file: the fix is one block as well."""
    if unit.build != "nvcc":
        return
    helpers, unknown = mapped(unit, _NAMES)
    unknown = tuple(n for n in unknown if cuda_name(n) is not None and not n.startswith("cudaLaunchKernelEx"))
    headers = [
        (n, d)
        for n, _, d in unit.pre.includes
        if (n in _HEADERS or _CUB.fullmatch(n))
        and unit.pre.live(d.start) is not False
        and not unit.own_header(n)
    ]
    if not helpers and not headers:
        return
    names = [h.split("=")[0] for h in helpers]
    first = headers[0][1].token if headers else next(unit.words(*names), None)
    if first is None:
        return  # all of them stand behind tests of CUDA's version
    last = headers[0][1].last - 1 if headers else first
    shown = ", ".join([*(n for n, _ in headers), *names][:3])
    missing = f"; without a counterpart: {', '.join(unknown[:3])}" if unknown else ""
    detail = (
        f"nvcc builds this file, so no hipify renames {shown}"
        + (" ..." if len(headers) + len(names) > 3 else "")
        + missing
    )
    edits = _includes(unit, [d for _, d in headers])
    yield unit.finding(
        CODE,
        first,
        last,
        detail=detail,
        fix=Fix(
            "safe",
            "HIP's names on AMD",
            edits,
            helpers=(*helpers, *_types(unit, headers), *_cub(unit, headers)) or ("lanes",),
        ),
    )


def _types(unit: Unit, headers: list[tuple[str, Directive]]) -> tuple[str, ...]:
    """CUDA's library headers bring the 16-bit types along; HIP's do not all."""
    found = []
    if any(n.startswith("__nv_bfloat16") for n in unit.tokens.words) and not any(
        n == "cuda_bf16.h" for n, d in headers if unit.pre.live(d.start) is True
    ):
        found.append("hip_bf16")
    if unit.has("__half", "half", "__half2", "half2") and not any(
        n == "cuda_fp16.h" for n, d in headers if unit.pre.live(d.start) is True
    ):
        found.append("hip_fp16")
    return tuple(found)


def _cub(unit: Unit, headers: list[tuple[str, Directive]]) -> tuple[str, ...]:
    return ("hipcub",) if unit.has("cub") and any(n.startswith("cub/") for n, _ in headers) else ()


def _includes(unit: Unit, headers: list[Directive]) -> tuple[Edit, ...]:
    """Every run of neighbouring CUDA includes gets one branch for AMD."""
    edits: list[Edit] = []
    names = {d.token: n for n, _, d in unit.pre.includes}
    runs: list[list[Directive]] = []
    for d in headers:
        if runs and not unit.source.data[runs[-1][-1].end : d.start].strip():
            runs[-1].append(d)
        else:
            runs.append([d])
    for run in runs:
        wanted: dict[str, None] = {}
        for d in run:
            name = names[d.token]
            header = _HEADERS.get(name, "hipcub/hipcub.hpp" if name.startswith("cub/") else "")
            if header:
                wanted[header] = None
        opening, _ = skip_include(unit, run[0], [f"#include <{h}>" for h in wanted])
        _, closing = skip_include(unit, run[-1])
        edits += [opening, closing]
    return tuple(edits)
