"""Where rewrites put their text, and what PTX becomes in C++."""

from __future__ import annotations

import pytest
from amdlint.lint.engine import fix_text
from amdlint.lint.native.ptx import boolean
from amdlint.lint.native.rewrite import pieces

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
