"""CUDA text in Python strings: found, placed on the right line of the Python file, and fixed there."""

from __future__ import annotations

import ast

import pytest
from amdlint.lint.engine import check_text, fix_text

KERNEL = "__global__ void k(float* x) { x[0] = __shfl_xor_sync(0xffffffff, x[0], 1); }"


def native(text: str) -> list[tuple[str, int]]:
    data = text.encode()
    return [
        (f.code, data.count(b"\n", 0, f.start) + 1) for f in check_text("ops.py", text) if f.code == "AMD3200"
    ]


@pytest.mark.parametrize(
    "text",
    [
        f'from torch.utils.cpp_extension import load_inline\nm = load_inline("m", cuda_sources="""\n{KERNEL}\n""")\n',
        f'from torch.utils.cpp_extension import load_inline\nS = r"""\n{KERNEL}\n"""\nm = load_inline("m", cuda_sources=[S], functions=["f"])\n',
        f'import cupy\nS = ("// head\\n"\n     "{KERNEL}")\nk = cupy.RawKernel(S, "k")\n',
        f"import cupy\n\nk = cupy.RawModule(code='{KERNEL}')\n",
        f'import textwrap, cupy\nk = cupy.RawKernel(textwrap.dedent("""\n{KERNEL}"""), "k")\n',
    ],
)
def test_found_on_its_line(text: str) -> None:
    row = text[: text.index("__shfl")].count("\n") + 1
    assert native(text) == [("AMD3200", row)]


def test_other_strings_are_left_alone() -> None:
    assert native(f'from torch.utils.cpp_extension import load_inline\nHELP = """{KERNEL}"""\n') == []


def test_fix_keeps_the_python_file_valid() -> None:
    text = f'from torch.utils.cpp_extension import load_inline\nm = load_inline("m", cuda_sources="""\n{KERNEL}\n""")\n'
    fixed = fix_text("ops.py", text)
    ast.parse(fixed)
    assert "#ifdef USE_ROCM" in fixed
    assert KERNEL in fixed
    assert native(fixed) == []


def test_backslashes_are_doubled_in_cooked_strings() -> None:
    kernel = "__global__ void k() { __syncwarp(); }"
    text = f'from torch.utils.cpp_extension import load_inline\nm = load_inline("m", cuda_sources="""\n{kernel}\n""")\n'
    fixed = fix_text("ops.py", text)
    value = next(
        n.value
        for n in ast.walk(ast.parse(fixed))
        if isinstance(n, ast.Constant) and "__syncwarp(...)" in str(n.value)
    )
    assert "#define __syncwarp(...)                                    \\\n" in value


def test_single_quoted_text_is_only_reported() -> None:
    text = f"import cupy\n\nk = cupy.RawModule(code='{KERNEL}')\n"
    assert fix_text("ops.py", text) == text
