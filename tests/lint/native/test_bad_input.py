"""Texts that are damaged, endless or hostile: read or reported, never a crash, never half a rewrite.

Whatever took the square of the input's length would take minutes here.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from amdlint.lint import engine, fix
from amdlint.lint.engine import check_text, fix_text
from amdlint.lint.native.lexer import tokenize
from amdlint.lint.repo import Repo
from amdlint.lint.settings import Settings
from amdlint.lint.source import UnreadableSource

SAMPLE = """\
// nvcc -o k k.cu
#include <cuda_runtime.h>
#ifdef USE_DOUBLE
typedef double real;
#else
typedef float real;
#endif
#define FULL_MASK 0xffffffff
template <int N>
__global__ void reduce(real* x, const int* n) {
  __shared__ real sums[N / 32];
  real v = x[threadIdx.x];
  for (int o = 16; o; o >>= 1) v += __shfl_down_sync(FULL_MASK, v, o);
  unsigned votes = __ballot_sync(FULL_MASK, v > 0);
  if (__popc(votes) > 3 && threadIdx.x % 32 == 0) sums[threadIdx.x >> 5] = v;
  asm volatile("membar.gl; // 'fence'");
}
int main() {
  dim3 block(32, 1);
  printf("%s \\"quoted\\"", R"(raw " text)");
  reduce<64><<<1, block>>>(nullptr, {0});
  return cudaDeviceSynchronize() != cudaSuccess;
}
"""
TRAP = "__device__ void f() { __trap(); }\n"
MANY = 100_000


def codes(text: str | bytes) -> list[str]:
    return [f.code for f in check_text("k.cu", text)]


@pytest.mark.parametrize("style", ["portable", "hip"])
def test_every_truncation_is_read_and_rewritten_whole(style: str) -> None:
    for length in range(0, len(SAMPLE), 41):
        text = SAMPLE[:length]
        settings = Settings(native_style=style)  # type: ignore[arg-type]
        check_text("k.cu", text, settings)
        fixed = fix_text("k.cu", text, settings, unsafe=True)
        assert fix_text("k.cu", fixed, settings, unsafe=True) == fixed


def test_damaged_texts_break_no_rule() -> None:
    pieces = [
        '"',
        "'",
        "/*",
        "*/",
        "#if X\n",
        "\n#else\n",
        "#endif\n",
        "\\\n",
        'R"(',
        "<<<",
        ">>>",
        *"(){}[]<>,;\0\r",
    ]
    for seed in range(150):
        chance = random.Random(seed)
        text = SAMPLE
        for _ in range(chance.choice((1, 4, 16))):
            at = chance.randrange(len(text))
            cut = chance.choice((0, 0, 1, 30))
            text = text[:at] + chance.choice(pieces) + text[at + cut :]
        raw = text.encode()
        source = engine.Source(Path("k.cu"), raw)
        report = engine.check(source, Repo(Path("."), [source.path], {source.path: raw}), Settings())
        assert (report.error, report.faults) == (None, []), text


@pytest.mark.parametrize(
    "text",
    [
        "(" * MANY,
        "{" * MANY,
        ")" * MANY,
        "a<" * MANY + ">" * MANY,
        "k<<<" * MANY,
        "#if X\n" * (MANY // 20),
        "#endif\n#else\n" * (MANY // 10),
        "#if A\n" + "#elif defined(B)\n" * (MANY // 20) + "#endif\n",
        "#if " + "(" * MANY + "1" + ")" * MANY + "\n#endif\n",
        "#if " + "!" * MANY + "1\n#endif\n",
        "#if " + "1 ? " * MANY + "1\n#endif\n",
        "".join(f"#define A{i} (A{i + 1} + A{i + 1})\n" for i in range(60)) + "#if A0\n#endif\n",
        "#define A B\n#define B A\n#if A\n#endif\n",
        "#define A 1\n" * (MANY // 20) + "#if A\n#endif\n" * (MANY // 20),
        "static const unsigned t[] = {" + "0x1234," * (MANY * 2) + "};\n",
        '"' + '\\"' * MANY,
        "'" + "\\'" * MANY,
        'R"(' * MANY,
        "/*" * MANY,
        "//" + "\\\n" * MANY,
        " " * MANY + "\n#",
        ("#" + " " * 1000) * (MANY // 1000),
        "1'0" * MANY,
        "asm(" * MANY,
        "void g() { " + "if (a) {} else " * (MANY // 10) + ";}",
    ],
    ids=lambda text: text[:12].replace("\n", " "),
)  # fmt: skip
def test_endless_texts(text: str) -> None:
    assert codes(TRAP + text) == ["AMD3237"]


def test_mask_in_a_hundred_thousand_brackets() -> None:
    text = "__global__ void k() { __shfl_sync(" + "(" * MANY + "0xffffffff" + ")" * MANY + ", 1, 2); }\n"
    assert set(codes(text)) <= {"AMD3200"}


def test_everything_on_one_line() -> None:
    kernels = " ".join(f"__device__ void f{i}() {{ __trap(); }}" for i in range(2000))
    assert codes(kernels) == ["AMD3237"] * 2000


def test_unterminated_raw_string_ends_with_the_file() -> None:
    assert tokenize(b'a R"x(b c "d"').texts[:2] == ["a", 'R"x(b c "d"']


def test_comment_signs_in_strings_and_numbers() -> None:
    tokens = tokenize(b'x = "/*" + 1\'000\'0 /* \' */ + \'"\' // "\n+ R"(//)" y')
    assert tokens.texts[: len(tokens.kinds) - 8] == ["x", "=", '"/*"', "+", "1'000'0", "+", "'\"'", "+", 'R"(//)"', "y"]  # fmt: skip
    assert [tokens.text[a:b] for a, b in tokens.comments] == ["/* ' */", '// "']


def test_binary_and_other_encodings() -> None:
    with pytest.raises(UnreadableSource, match="binary"):
        check_text("k.cu", b"\0" + TRAP.encode())
    assert codes(b"// \xe9\xff\n" + TRAP.encode() + b"// \xff") == ["AMD3237"]
    assert codes(TRAP.encode() + b"//" + b" " * 9000 + b"\0\n") == ["AMD3237"]
    raw = "// é\r\n".encode("latin-1") + TRAP.encode().replace(b"\n", b"\r\n") + b"// \x80\xff"
    source = engine.read(Path("k.cu"), raw)
    result = fix.apply(source, Repo(Path("."), [source.path], {source.path: raw}), Settings())
    written = source.encoded(result.data)
    assert written.startswith(b"// \xe9\r\n")
    assert written.endswith(b"__device__ void f() { __trap(); }\r\n// \x80\xff")
    assert b"#define __trap() __builtin_trap()\r\n" in written
