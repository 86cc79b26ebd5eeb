"""``--native-style hip``: what is renamed in place, and what is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from amdlint.lint import engine, fix
from amdlint.lint.engine import check_text, fix_text
from amdlint.lint.repo import Repo
from amdlint.lint.settings import Settings

HIP = Settings(native_style="hip")
HEAD = "#include <hip/hip_runtime.h>\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "#include <cuda_runtime.h>\nvoid f(void* p) { cudaFree(p); }\n",
            HEAD + "void f(void* p) { hipFree(p); }\n",
        ),
        (
            "#include <cuda_runtime.h>  // for cudaFree\n/* cudaFree(p) */ void f(void* p) { cudaFree(p); }  // cudaFree\n",
            "#include <hip/hip_runtime.h>  // for cudaFree\n/* cudaFree(p) */ void f(void* p) { hipFree(p); }  // cudaFree\n",
        ),
        (
            '#include "cuda_runtime.h"\nvoid f(void* p) { if (cudaFree(p)) puts("cudaFree failed: " R"(cudaFree)"); }\n',
            HEAD + 'void f(void* p) { if (hipFree(p)) puts("cudaFree failed: " R"(cudaFree)"); }\n',
        ),
        (
            '#include <cuda_runtime.h>\n#define CHECK(x) \\\n  if ((x) != cudaSuccess) printf("%s", #x)\nvoid f(void* p) { CHECK(cudaFree(p)); }\n',
            HEAD
            + '#define CHECK(x) \\\n  if ((x) != hipSuccess) printf("%s", #x)\nvoid f(void* p) { CHECK(hipFree(p)); }\n',
        ),
        (
            "#include <cuda_runtime.h>\n__global__ void k() {}\nvoid f(cudaStream_t s) { k<<<1, 64, 0, s>>>(); }\n",
            HEAD + "__global__ void k() {}\nvoid f(hipStream_t s) { k<<<1, 64, 0, s>>>(); }\n",
        ),
        (
            "#include <cstdio>\n#include <cublas_v2.h>\n#include <curand_kernel.h>\nvoid f(cublasHandle_t h) { cublasDestroy(h); }\n",
            HEAD
            + "#include <cstdio>\n#define HIPBLAS_V2  // the types of ROCm 7 in ROCm 6 as well\n#include <hipblas/hipblas.h>\n#include <hiprand/hiprand_kernel.h>\nvoid f(hipblasHandle_t h) { hipblasDestroy(h); }\n",
        ),
        (
            "#include <cub/cub.cuh>\n#include <cuda_runtime.h>\nusing namespace cub;\ntypedef cub::BlockReduce<int, 64> Sum;\n",
            "#include <hipcub/hipcub.hpp>\n#include <hip/hip_runtime.h>\nusing namespace hipcub;\ntypedef hipcub::BlockReduce<int, 64> Sum;\n",
        ),
        (
            '#include <cuda.h>\n#include <cuda_runtime.h>\n#include "device_launch_parameters.h"\nCUdeviceptr p;\n',
            HEAD + "hipDeviceptr_t p;\n",
        ),
        (
            '#include <cuda_runtime.h>\n#include "helper.h"\n#include <hip/hip_runtime.h>\ncudaStream_t s;\n',
            HEAD + '#include "helper.h"\n#include <hip/hip_runtime.h>\nhipStream_t s;\n',
        ),
        (
            "#include <cuda_runtime.h>\nvoid f(cudaEvent_t* e) { cudaEventCreate(e); cudaEventCreate(e, cudaEventDisableTiming); }\n",
            HEAD
            + "void f(hipEvent_t* e) { hipEventCreate(e); hipEventCreateWithFlags(e, hipEventDisableTiming); }\n",
        ),
        (
            "#include <nvToolsExt.h>\n#include <cuda_runtime.h>\nvoid f() { nvtxRangePushA(\"x\"); nvtxRangePop(); }\n",
            '#include <roctracer/roctx.h>\n#include <hip/hip_runtime.h>\nvoid f() { roctxRangePushA("x"); roctxRangePop(); }\n',
        ),
        ("__global__ void k(int* p) { p[threadIdx.x] = 0; }\n", HEAD + "\n__global__ void k(int* p) { p[threadIdx.x] = 0; }\n"),
    ],
    ids=["call", "comments", "strings", "macro", "launch", "libraries", "cub", "same header twice", "same header later", "overload", "nvtx", "no include"],
)  # fmt: skip
def test_rewrite(before: str, after: str) -> None:
    assert fix_text("k.cu", before, HIP) == after
    assert fix_text("k.cu", after, HIP) == after


@pytest.mark.parametrize(
    "text",
    [
        # names of the program itself
        "#include <hip/hip_runtime.h>\nstruct Timer { int cudaFree; };\nint f(Timer t, Timer* u) { return t.cudaFree + u->cudaFree; }\n",
        "#include <hip/hip_runtime.h>\nstatic void cudaFree(void*) {}\nvoid f() { cudaFree(0); mine::cudaMalloc(0); }\n",
        "#include <hip/hip_runtime.h>\nint my_cudaFree, cudaFreeAll, cudafree;\n",
        # both vendors are served already
        "#ifdef USE_ROCM\n#include <hip/hip_runtime.h>\n#define cudaFree hipFree\n#else\n#include <cuda_runtime.h>\n#endif\nvoid f(void* p) { cudaFree(p); }\n",
        # torch's build translates its extensions itself
        "#include <torch/extension.h>\n#include <cuda_runtime.h>\nvoid f(void* p) { cudaFree(p); }\n",
    ],
    ids=["members", "own functions", "longer words", "ported", "torch"],
)
def test_left_alone(text: str) -> None:
    assert fix_text("k.cu", text, HIP) == text


def test_names_without_counterpart_are_reported_and_stay() -> None:
    text = "#include <cuda_runtime.h>\nvoid f(void* p) { cudaFree(p); cudaGraphConditionalHandle h; }\n"
    fixed = fix_text("k.cu", text, HIP)
    assert fixed == HEAD + "void f(void* p) { hipFree(p); cudaGraphConditionalHandle h; }\n"
    left = [f for f in check_text("k.cu", fixed, HIP) if f.code == "AMD2206"]
    assert [(fixed[f.start : f.end], f.fix) for f in left] == [("cudaGraphConditionalHandle", None)]


def test_bytes_of_another_encoding_survive() -> None:
    raw = b"#include <cuda_runtime.h>\r\n// caf\xe9 cudaFree\r\nvoid f(void* p) { cudaFree(p); }  /* \xff */\r\n"
    source = engine.read(Path("k.cu"), raw)
    result = fix.apply(source, Repo(Path("."), [source.path], {source.path: raw}), HIP)
    assert source.encoded(result.data) == raw.replace(b"cuda_runtime.h", b"hip/hip_runtime.h").replace(
        b"cudaFree(p)", b"hipFree(p)"
    )


def test_lane_fixes_are_made_as_well() -> None:
    text = (
        "#include <cuda_runtime.h>\n__global__ void k(float* x) {\n  float v = x[threadIdx.x];\n"
        "  v += __shfl_down_sync(0xffffffff, v, 1);\n  if (threadIdx.x % 32 == 0) x[0] = v;\n}\nvoid f(void* p) { cudaFree(p); }\n"
    )
    fixed = fix_text("k.cu", text, HIP)
    assert "hipFree(p)" in fixed
    assert "cuda" not in fixed
    assert "#define __shfl_down_sync(mask, v, delta) __shfl_down(v, delta, 32)" in fixed


def test_own_header_in_front_of_the_runtime() -> None:
    files = {
        Path("k.cu"): b'#include "my.h"\n#include <cuda_runtime.h>\nvoid f(void* p) { cudaFree(p); }\n',
        Path("my.h"): b"__device__ int g();\n",
    }
    repo = Repo(Path("."), [*files], files)
    result = fix.apply(engine.read(Path("k.cu"), files[Path("k.cu")]), repo, HIP)
    assert result.data == (
        b'#include <hip/hip_runtime.h>\n#include "my.h"\n#include <hip/hip_runtime.h>\nvoid f(void* p) { hipFree(p); }\n'
    )


def test_launch_behind_own_headers_only() -> None:
    files = {
        Path("k.cu"): b'#include <cstdio>\n#include "kernels.cuh"\nvoid f() { k<<<1, dim3(64)>>>(); }\n',
        Path("kernels.cuh"): b"#pragma once\n#include <vector_types.h>\n__global__ void k();\n",
    }
    repo = Repo(Path("."), [*files], files)
    result = fix.apply(engine.read(Path("k.cu"), files[Path("k.cu")]), repo, HIP)
    assert result.data == b"#include <hip/hip_runtime.h>\n" + files[Path("k.cu")]
    header = fix.apply(engine.read(Path("kernels.cuh"), files[Path("kernels.cuh")]), repo, HIP)
    assert header.data == b"#pragma once\n#include <hip/hip_vector_types.h>\n__global__ void k();\n"
