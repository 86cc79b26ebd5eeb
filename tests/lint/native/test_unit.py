"""What the native rules ask a unit: words, functions, values, widths, names that the repository gives."""

from __future__ import annotations

from pathlib import Path

import pytest
from amdlint.lint.engine import check_text, fix_text
from amdlint.lint.native.unit import Unit
from amdlint.lint.native.widths import bits
from amdlint.lint.repo import Repo
from amdlint.lint.settings import Settings
from amdlint.lint.source import Source
from hypothesis import given, settings
from hypothesis import strategies as st


def unit(text: str, path: str = "k.cu", **others: str) -> Unit:
    """A unit in a repository with other files (``common_h="..."`` is common.h)."""
    texts = {Path(path): text.encode()}
    texts |= {Path(name.replace("_", ".", 1)): body.encode() for name, body in others.items()}
    return Unit(Source(Path(path), texts[Path(path)]), Repo(Path(), list(texts), texts), Settings())


def test_words_skip_comments_strings_and_guarded_code() -> None:
    u = unit('// f\n/* f */ const char* s = "f"; f();\n#ifndef USE_ROCM\nf();\n#endif\n#define G f()\n')
    assert [u.source.position(u.tokens.starts[i])[0] for i in u.words("f")] == [2, 6]


def test_calls_are_no_declarations() -> None:
    u = unit(
        "__device__ int f(int a);\n__device__ int f(int a) { return a; }\nint g() { return f(1) + x.f(2) + ns::f<int>(3); }\n"
    )
    assert [u.slice(*c.args[0]) for c in u.calls("f")] == ["1", "3"]


def test_functions_and_where_they_run() -> None:
    u = unit(
        "#define DEV __device__ __forceinline__\n"
        "template <typename T> __global__ void __launch_bounds__(256) k(T* x) { if (x) { } }\n"
        "DEV float d(float v) { return v; }\n"
        "__host__ __device__ auto both(int a) -> int { return a; }\n"
        "struct S { S(int a) : b(a), c{a} { } __device__ int operator()(int i) const { return i; } int b, c; };\n"
        "void host() { run([=] __device__ (int i) { return i; }); }\n"
    )
    found = [(f.name, f.kernel, f.device, f.host) for f in u.functions.found]
    assert found[:3] == [("k", True, True, False), ("d", False, True, False), ("both", False, True, True)]
    assert ("operator()", False, True, False) in found
    assert ("host", False, False, True) in found
    inner = u.function(u.tokens.words["i"][-1])
    assert inner is not None
    assert inner.device


def test_braces_in_both_branches_of_a_conditional() -> None:
    u = unit("__global__ void k() {\n#ifdef A\n  if (x) {\n#else\n  if (y) {\n#endif\n  }\n}\nvoid h() { }\n")
    assert [f.name for f in u.functions.found] == ["k", "h"]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("32", 32),
        ("kWarp", 32),
        ("LANES - 1", 31),
        ("(1 << 5)", 32),
        ("96 * 1024", 98304),
        ("sizeof(float) * 4", 16),
        ("0x1'f", 31),
        ("n", None),
        ("kWarp > 3 ? 1 : 2", 1),
    ],
)
def test_values(expression: str, value: int | None) -> None:
    u = unit(f"#define LANES 32\nconstexpr int kWarp = LANES;\nint f(int n) {{ return {expression}; }}\n")
    first = u.tokens.words["return"][0] + 1
    assert u.value(first, next(i for i in range(first, len(u.texts)) if u.texts[i] == ";")) == value


def test_values_by_platform() -> None:
    u = unit("#ifdef USE_ROCM\n#define W 64\n#else\n#define W 32\n#endif\n")
    assert u.values("W", "amd") == {64}
    assert u.values("W", "nvidia") == {32}


def test_values_of_own_headers() -> None:
    assert unit('#include "common.h"\n', common_h="#define WARP 32\n").values("WARP") == {32}


@pytest.mark.parametrize(
    ("mask", "width"),
    [
        ("0xffffffff", 32), ("0xffffffffull", 64), ("0xffffffffffffffff", 64), ("~0u", 32), ("-1", 32), ("FULL", 32), ("wide", 64), ("m", 32),
        ("__activemask()", 64), ("(unsigned long long)m", 64), ("static_cast<unsigned>(x)", 32), ("uint32_t(-1)", 32), ("1u << lane", 32),
        ("(1ull << n) - 1", 64), ("x", None), ("a ? 1ull : 2", 64), ("kept", 64),
    ],
)  # fmt: skip
def test_widths(mask: str, width: int | None) -> None:
    u = unit(
        "#define FULL 0xffffffffu\nconstexpr unsigned long long wide = 0xffffffff;\n"
        f"template <typename T> __device__ void f(T x, unsigned m, int lane) {{ auto kept = __ballot(1); g({mask}); }}\n"
    )
    call = next(u.calls("g"))
    assert bits(u, *call.args[0]) == width


def test_names_given_by_the_file_or_its_headers() -> None:
    source = '#include "compat.h"\n__device__ void f() { __trap(); __syncwarp(); }\n'
    compat = "#ifdef USE_ROCM\n#define __trap() abort()\n#else\n#define __syncwarp() x\n#endif\n"
    u = unit(source, compat_h=compat)
    assert u.provided("__trap")
    assert not u.provided("__syncwarp")


def test_a_local_function_of_the_same_name_is_not_flagged() -> None:
    text = "static __device__ int __dp4a(int a, int b, int c) { return a * b + c; }\n__device__ int f(int a) { return __dp4a(a, a, 0); }\n"
    assert check_text("k.cu", text) == []


def test_crlf_and_tabs_survive_a_fix() -> None:
    text = "__device__ float f(float v) {\r\n\treturn __shfl_xor_sync(0xffffffff, v, 1);\t// pair\r\n}\r\n"
    fixed = fix_text("k.cu", text)
    assert fixed.endswith(text)
    assert "\n" not in fixed.replace("\r\n", "")


def test_a_damaged_file_is_still_read() -> None:
    text = "}}}) (( __global__ void k() { __trap();\n#if\n#endif\n#else\n"
    assert [f.code for f in check_text("k.cu", text)] == ["AMD3237"]


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="(){}[]<>;,#\\\n\"'/*= _aifdexyz019u&|!~?:", max_size=200))
def test_no_text_breaks_the_reader(text: str) -> None:
    check_text(
        "k.cu",
        '__global__ void k() { __shfl_sync(0xffffffff, v, 0); asm("mov.u32"); x<<<1, 32>>>(); }\n' + text,
    )
