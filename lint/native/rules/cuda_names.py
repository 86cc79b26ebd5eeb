"""AMD2206: CUDA runtime and library names in a build that no hipify translates."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ....kb.facts.cuda import cuda_name
from ...finding import Edit, Finding, Fix
from ...rules import rule
from .. import hipify
from ..lexer import Directive
from ..names import mapped
from ..rewrite import skip_include
from ..unit import Unit

CODE = "AMD2206"
_NAMES = re.compile(
    r"(?:cuda|cublas|cublasLt|cublasXt|curand|cufft|cusparse|cusolver|nvrtc|cu)[A-Z]\w*|(?:CUDA|CUBLAS|CUBLASLT|CURAND|CUFFT|CUSPARSE|CUSOLVER|NVRTC|CU)_\w+"
    r"|cu[A-Z]\w*Complex|make_cu\w*Complex|cuCadd|cuCmul\w?|CU[a-z]\w+|make_cuda[A-Z]\w+|CUDAAPI|CUDARTAPI|CUDART_CB|curand|curand4?_\w+|curand4|__nv_bfloat16\w*|nvtxRange\w+|nvtxMark\w*"
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
    "cuda_gl_interop.h": "hip/hip_gl_interop.h", "cudaGL.h": "hip/hip_gl_interop.h",
}  # fmt: skip
# CUDA 13 passes a location where CUDA 12 passed the number of a device; HIP 7.1 has both.
_CUDA_13 = {
    "cudaMemAdvise=hipMemAdvise": "cudaMemAdvise=hipMemAdvise_v2",
    "cudaMemPrefetchAsync=hipMemPrefetchAsync": "cudaMemPrefetchAsync=hipMemPrefetchAsync_v2",
}
_BUILTINS = ("__global__", "__device__", "__constant__", "threadIdx", "blockIdx", "float4", "float3", "float2", "uint2", "int2", "dim3", "uchar4")  # fmt: skip
# What CUDA's runtime header brings along from C, and HIP's does not: header, others as good, functions.
_FROM_C = {
    "string.h": (("cstring", "strings.h"), (
        "memcpy", "memset", "memmove", "memcmp", "strcmp", "strncmp", "strlen", "strcpy", "strncpy", "strcat", "strchr",
        "strrchr", "strstr", "strtok", "strdup", "strcasecmp", "strncasecmp", "strerror")),
    # <cmath> declares these in std only
    "math.h": ((), ("isfinite", "isnan", "isinf", "isnormal", "signbit")),
}  # fmt: skip
_CUB = re.compile(r"cub/(?:block|device|warp|thread|iterator)/\w+\.cuh")


_TRIGGERS = {"cuda", "vector_types", "vector_functions", "driver_types", "device_launch_parameters", "cuda_gl_interop", "__device__", "cuda_runtime",
              "cuda_runtime_api", "cuda_fp16", "cuda_bf16", "cublas_v2", "cublasLt", "curand", "curand_kernel", "cufft", "cusparse", "cooperative_groups",
              "cuComplex", "nvrtc", "__global__", "cudaMalloc", "cudaStream_t", "cudaError_t", "cudaGetLastError", "cudaDeviceProp", "cudaMemcpy",
              "cudaDeviceSynchronize", "cudaEvent_t", "CUdevice", "CUcontext", "CUresult", "cudaSuccess", "cudaGetDevice", "cudaDeviceGetAttribute",
              "cudaFuncSetAttribute", "cudaMemcpyAsync", "cudaFree", "dim3", "threadIdx", "blockIdx", "__shared__", "__constant__", "cudaTextureObject_t",
              "cudaSurfaceObject_t", "cudaArray", "cudaArray_t", "cudaResourceDesc", "cudaCreateChannelDesc", "cudaDeviceReset", "cudaSetDevice",
              "cudaGetDeviceCount", "cudaGetDeviceProperties", "cudaGetErrorString", "cudaMemcpyToSymbol", "cudaMemset", "cudaMemsetAsync", "cudaMallocHost",
              "cudaHostAlloc", "cudaFreeHost", "cudaMallocManaged", "cudaEventCreate", "cudaEventRecord", "cudaEventSynchronize", "cudaStreamCreate",
              "cudaStreamSynchronize", "cudaGraph_t", "cudaGraphExec_t", "cudaPeekAtLastError", "cudaExtent", "cudaGraphicsResource", "cublasHandle_t",
              "cublasStatus_t", "cublasLtHandle_t", "cufftHandle", "cufftResult", "cufftComplex", "cufftReal", "curandState", "curandGenerator_t", "curandStatus_t",
              "cusparseHandle_t", "cusolverDnHandle_t", "CUdeviceptr", "CUmodule", "CUfunction", "CUstream", "CUDART_CB", "nvrtcProgram", "nvrtcResult"}  # fmt: skip


@rule(CODE, triggers=_TRIGGERS | {"hip_runtime"})
def cuda_names(unit: Unit) -> Iterator[Finding]:
    """One finding a file: the fix is one block as well."""
    in_place = hipify.wanted(unit)
    if not in_place and (unit.build != "nvcc" or _translated(unit)):
        return
    helpers, unknown = mapped(unit, _NAMES)
    helpers = tuple(_CUDA_13.get(h, h) if unit.has("cudaMemLocation") else h for h in helpers)
    helpers = _shapes(unit, helpers)
    unknown = tuple(n for n in unknown if cuda_name(n) is not None and not n.startswith("cudaLaunchKernelEx"))
    headers = [
        (n, d)
        for n, _, d in unit.pre.includes
        if (n in _HEADERS or _CUB.fullmatch(n))
        and unit.pre.live(d.start) is not False
        and not unit.own_header(n)
    ]
    if in_place:
        renamed = {d.token: _counterpart(n) for n, d in headers}
        extra = _types(unit, headers) if helpers or headers else ()
        if unit.has(*_BUILTINS) or unit.tokens.launches:
            extra = (*extra, "runtime")
        yield from hipify.findings(unit, CODE, (*helpers, *extra), unknown, renamed)
        return
    early = _runtime_first(unit, [d for _, d in headers])
    names = [re.split("[=+]", h)[0] for h in helpers]
    if not helpers and not headers:
        names = [] if early or _knows_runtime(unit) or unit.source.path.suffix != ".cu" else [*_BUILTINS]
        if not early and not unit.has(*names):
            return
    first = headers[0][1].token if headers else next(unit.words(*(names or _BUILTINS)), None)
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
    if not helpers and not headers:
        detail = (
            "nvcc includes cuda_runtime.h by itself; hipcc leaves threadIdx and the vector types undeclared"
        )
    brought = any(
        _HEADERS.get(n) == "hip/hip_runtime.h" and unit.pre.branch(d.start) is None for n, d in headers
    )
    edits = (*early, *_includes(unit, [d for _, d in headers]))
    yield unit.finding(
        CODE,
        first,
        last,
        detail=detail,
        fix=Fix(
            "safe",
            "HIP's names on AMD",
            edits,
            helpers=(*helpers, *_types(unit, headers), *_cub(unit, headers))
            or (() if early or brought else ("runtime",)),
        ),
    )


def _translated(unit: Unit) -> bool:
    """Whether only the names that HIP lacks are left of the CUDA code."""
    return b"hip_runtime" in unit.source.data and not any(unit.has(word) for word in _TRIGGERS)


def _shapes(unit: Unit, helpers: tuple[str, ...]) -> tuple[str, ...]:
    """Functions that CUDA overloads or gives a default where HIP does not: a function of both shapes stands in."""
    table: dict[str, Callable[[list[tuple[int, int]]], bool]] = {
        "cudaEventCreate": lambda args: len(args) == 2,
        "cudaMalloc3DArray": lambda args: len(args) == 3,
        "cudaHostGetDevicePointer": lambda args: bool(args) and unit.texts[args[0][0]] == "&",
    }
    for name, other in table.items():
        if unit.has(name) and any(other(c.args) for c in unit.calls(name)):
            helpers = tuple(f"{name}+overload" if h.startswith(f"{name}=") else h for h in helpers)
    return helpers


def _knows_runtime(unit: Unit) -> bool:
    """Whether a header of CUDA or HIP is included here or by a header of the repository."""
    names = {n for owner in (unit, *unit.headers) for n, _, _ in owner.pre.includes}
    return any(n in _HEADERS or n.startswith(("hip/", "thrust/", "cub/")) for n in names)


def _runtime_first(unit: Unit, headers: list[Directive]) -> tuple[Edit, ...]:
    """nvcc includes its runtime before line 1: a source whose first include is an own header relies on it."""
    if unit.source.path.suffix != ".cu" or unit.runtime or not unit.has(*_BUILTINS):
        return ()
    for name, angle, d in unit.pre.includes:
        if d in headers or unit.pre.live(d.start) is not True:
            return ()
        if not angle and unit.own_header(name) and unit.pre.branch(d.start) is None:
            text = [unit.if_amd, "#include <hip/hip_runtime.h>", "#endif", ""]
            return (Edit(d.start, d.start, unit.source.newline.join(text)),)
        if name.startswith("hip/"):
            return ()
    return ()


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
    for header, (same, names) in _FROM_C.items():
        if not unit.has(*names) or not any(unit.texts[c.name - 1] != "::" for c in unit.calls(*names)):
            continue
        if not any(n == header or n in same for u in (unit, *unit.headers) for n, _, _ in u.pre.includes):
            found.append(header)
    return tuple(found)


def _counterpart(header: str) -> str:
    """HIP's header for one of CUDA's; empty where what it declares is built in."""
    return _HEADERS.get(header, "hipcub/hipcub.hpp" if header.startswith("cub/") else "")


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
            header = _counterpart(name)
            if header == "hip/hip_gl_interop.h":
                wanted["hip/hip_runtime.h"] = None  # it does not include what it needs
            if header:
                wanted[header] = None
        lines = [f"#include <{h}>" for h in wanted]
        if "hipblas/hipblas.h" in wanted:
            lines.insert(list(wanted).index("hipblas/hipblas.h"), hipify.HIPBLAS_V2)
        opening, _ = skip_include(unit, run[0], lines)
        _, closing = skip_include(unit, run[-1])
        edits += [opening, closing]
    return tuple(edits)
