"""Where rewrites put their text, and what PTX becomes in C++."""

from __future__ import annotations

import pytest
from amdlint.lint.engine import fix_text
from amdlint.lint.native.ptx import boolean
from amdlint.lint.native.rewrite import block, pieces

TRAP = "__device__ void f() { __trap(); }\n"
BLOCK = (
    "#if defined(__HIP__) || defined(__HIP_PLATFORM_AMD__)\n#include <hip/hip_runtime.h>\n"
    "#define __trap() __builtin_trap()\n#endif\n"
)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", BLOCK + "\n"),
        ("// Copyright\n\n", "// Copyright\n" + BLOCK + "\n\n"),
        ("#pragma once\n", "#pragma once\n\n" + BLOCK),
        ("#pragma once\n#include <a.h>\n\n", "#pragma once\n#include <a.h>\n\n" + BLOCK + "\n"),
        (
            "#include <a.h>\n#ifdef X\n#include <b.h>\n#endif\n",
            "#include <a.h>\n#ifdef X\n#include <b.h>\n#endif\n\n" + BLOCK + "\n",
        ),
        (
            "#include <a.h>\n#ifdef USE_ROCM\n#endif\n",
            "#include <a.h>\n\n#ifdef USE_ROCM\n" + BLOCK.split("\n", 1)[1] + "\n#ifdef USE_ROCM\n#endif\n",
        ),
    ],
    ids=["bare", "comment", "pragma", "include", "conditional include", "the file's own macro"],
)
def test_place_of_helpers(before: str, after: str) -> None:
    assert fix_text("k.cu", before + TRAP) == after + TRAP


def test_helpers_stand_inside_the_include_guard() -> None:
    text = f"#ifndef K_H\n#define K_H\n{TRAP}#endif\n"
    assert fix_text("k.cuh", text) == f"#ifndef K_H\n#define K_H\n\n{BLOCK}{TRAP}#endif\n"


def test_alternative_of_a_statement_between_others() -> None:
    text = '__device__ void f(int* p) { *p = 1; asm volatile("membar.gl;"); *p = 2; }  // order\n'
    assert fix_text("k.cu", text) == (
        "__device__ void f(int* p) { *p = 1;\n#if defined(__HIP__) || defined(__HIP_PLATFORM_AMD__)\n  __threadfence();\n"
        '#else\n  asm volatile("membar.gl;");\n#endif\n*p = 2; }  // order\n'
    )


UNCOVERED = """\
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

#if __CUDA_ARCH__ >= 700
__global__ void count(int* table, const int* keys) {
  auto same = cg::labeled_partition(cg::coalesced_threads(), keys[threadIdx.x]);
  if (same.thread_rank() == 0) atomicAdd(&table[keys[threadIdx.x]], static_cast<int>(same.size()));
}
#endif
"""


def test_a_fix_brings_the_fixes_of_what_it_uncovers() -> None:
    fixed = fix_text("k.cu", UNCOVERED)
    assert "#if __CUDA_ARCH__ >= 700 || defined(__HIP_DEVICE_COMPILE__)\n" in fixed
    assert "coalesced_group labeled_partition(const Group& group, Label label) {" in fixed
    assert fix_text("k.cu", fixed) == fixed


def test_a_fix_that_uncovers_what_has_no_fix_is_not_made() -> None:
    text = UNCOVERED.replace(
        "cg::labeled_partition(cg::coalesced_threads(), keys[threadIdx.x])", "cg::invoke_one(keys)"
    )
    text = text.replace(
        "  if (same", "  __cluster_dims__(2);\n  cudaLaunchKernelEx(nullptr, count);\n  if (same"
    )
    assert fix_text("k.cu", text) == text


def test_definitions_that_two_headers_carry_are_taken_once() -> None:
    one = block(["cg_reduce"], "#ifdef USE_ROCM")
    assert one.count("#ifndef AMD_HAS_CG_REDUCE\n#define AMD_HAS_CG_REDUCE\n") == 1
    assert one.index("#include <hip/hip_cooperative_groups.h>") < one.index("#ifndef AMD_HAS_CG_REDUCE")
    assert "AMD_HAS" not in block(["hipcub"], "#ifdef USE_ROCM"), "an alias may be repeated"


def test_every_lop3_table_that_becomes_an_expression_is_that_table() -> None:
    done = 0
    for table in range(256):
        expression = boolean(table, "a", "b", "c")
        if expression is None:
            continue
        done += 1
        assert eval(expression, {}, {"a": 0xF0, "b": 0xCC, "c": 0xAA}) & 0xFF == table, expression
    assert done > 200


@pytest.mark.parametrize("name", sorted(pieces()))
def test_needs_of_helpers_exist(name: str) -> None:
    assert set(pieces()[name][1]) <= pieces().keys()
