"""What headers of the repository say counts in the sources that include them."""

from __future__ import annotations

from pathlib import Path

import pytest
from amdlint.lint import engine
from amdlint.lint.repo import Repo
from amdlint.lint.settings import Settings

REDUCE = """\
__global__ void k(float* x) {
  float v = x[threadIdx.x];
  v += __shfl_down_sync(FULL_MASK, v, 1);
  if (threadIdx.x % WARP_SIZE == 0) x[0] = v;
}
"""
TILE = "__global__ void k() { __shared__ float a[TILE][TILE]; a[threadIdx.x][0] = 1; }\n"
FENCE = '#if ON_B\nvoid a();\n#else\n__global__ void k() { asm volatile("membar.gl;"); }\n#endif\n'
CONSTANTS = "#define WARP_SIZE 32\n#define FULL_MASK 0xffffffff\n"


def found(files: dict[str, str], top: str = "") -> list[str]:
    """Codes found in src/k.cu of a repository in the folder ``top``."""
    texts = {Path(top, name): text.encode() for name, text in files.items()}
    path = Path(top, "src/k.cu")
    report = engine.check(engine.read(path, texts[path]), Repo(Path(top), [*texts], texts), Settings())
    assert report.faults == []
    return [f.code for f in report.findings]


@pytest.mark.parametrize("top", ["", "/home/me/project"], ids=["relative paths", "absolute paths"])
@pytest.mark.parametrize(
    ("include", "headers"),
    [
        ('"util.h"', {"src/util.h": CONSTANTS}),
        ("<lib/util.h>", {"include/lib/util.h": CONSTANTS}),
        ('"../common/util.h"', {"common/util.h": CONSTANTS}),
        ('"util.h"', {"util.h": CONSTANTS}),
        ('"util.h"', {"src/util.h": '#include "base.h"\n', "src/base.h": CONSTANTS}),
        ('"util.h"', {"src/util.h": '#include "k.cu"\n#include "util.h"\n' + CONSTANTS}),
        ('"util.h"', {"src/util.h": "constexpr int WARP_SIZE = 32;\nconstexpr unsigned FULL_MASK = ~0u;\n"}),
    ],
    ids=["beside", "include folder", "other folder", "top", "header of a header", "circle", "constants"],
)
def test_mask_of_a_header(include: str, headers: dict[str, str], top: str) -> None:
    assert found({"src/k.cu": f"#include {include}\n{REDUCE}", **headers}, top) == ["AMD3200"]


def test_mask_that_fits_amd_builds() -> None:
    header = f"#ifdef USE_ROCM\n#define WARP_SIZE 64\n#define FULL_MASK 0xffffffffffffffffull\n#else\n{CONSTANTS}#endif\n"
    assert found({"src/k.cu": f'#include "util.h"\n{REDUCE}', "src/util.h": header}) == []


@pytest.mark.parametrize(
    ("header", "codes"),
    [
        ("#define TILE 180\n", ["AMD3226"]),
        ("#define TILE 16\n", []),
        ("constexpr int B = 90;\nconstexpr int TILE = 2 * B;\n", ["AMD3226"]),
        ("#ifdef USE_ROCM\n#define TILE 16\n#else\n#define TILE 180\n#endif\n", []),
    ],
    ids=["too large", "small", "computed", "smaller on AMD"],
)
def test_shared_array_sized_by_a_header(header: str, codes: list[str]) -> None:
    assert found({"src/k.cu": f'#include "util.h"\n{TILE}', "src/util.h": header}) == codes


@pytest.mark.parametrize(
    ("header", "codes"),
    [
        ("#if defined(__HIPCC__) || defined(__HIP_PLATFORM_AMD__)\n#define ON_B 1\n#else\n#define ON_B 0\n#endif\n", []),
        ("#ifdef USE_ROCM\n#define ON_A 0\n#else\n#define ON_A 1\n#endif\n#define ON_B (!ON_A)\n", []),
        ("#define ON_B 0\n", ["AMD3219"]),
    ],
    ids=["by compiler", "by the other side", "never"],
)  # fmt: skip
def test_macro_of_the_repository_that_means_rocm(header: str, codes: list[str]) -> None:
    assert found({"src/k.cu": f'#include "port.h"\n{FENCE}', "src/port.h": header}) == codes


def test_name_that_a_header_gives_amd_builds() -> None:
    files = {
        "src/k.cu": '#include "port.h"\n__global__ void k() { __trap(); }\n',
        "src/port.h": "#pragma once\n",
    }
    assert found(files) == ["AMD3237"]
    files["src/port.h"] = "#ifdef __HIP__\n#define __trap() __builtin_trap()\n#endif\n"
    assert found(files) == []
