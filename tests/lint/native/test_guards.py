"""Guards in all spellings: what a ROCm build and an NVIDIA build see of a file."""

from __future__ import annotations

import pytest
from amdlint.lint.native.lexer import tokenize
from amdlint.lint.native.preprocess import Truth, preprocess


def worlds(text: str, word: str = "here") -> tuple[Truth, Truth]:
    """(seen on AMD, seen on NVIDIA) of a word."""
    tokens = tokenize(text.encode())
    pre = preprocess(tokens)
    at = tokens.starts[tokens.words[word][-1]]
    return pre.live(at, "amd"), pre.live(at, "nvidia")


@pytest.mark.parametrize(
    "condition",
    [
        "#ifdef USE_ROCM",
        "#ifdef __HIP_PLATFORM_AMD__",
        "#ifdef __HIP__",
        "#if defined(__HIPCC__)",
        "#if defined(USE_ROCM) || defined(__HIP_PLATFORM_AMD__)",
        "# if USE_ROCM",
        "#if defined USE_ROCM && 1",
        "#if GGML_USE_HIP",
        "#ifndef USE_ROCM\n#else",
        "#if !defined(USE_ROCM)\nother\n#else",
        "#if 0\n#elif defined(__HIP_PLATFORM_AMD__)",
        "#if defined(__CUDA_ARCH__)\n#elif defined(USE_ROCM)",
        "#if defined(USE_ROCM) /* AMD */ // comment",
        "#if defined(USE_ROCM) && \\\n    !defined(NOTHING_OF_THE_KIND) || defined(USE_ROCM)",
    ],
)
def test_amd_only(condition: str) -> None:
    amd, nvidia = worlds(f"{condition}\nhere\n#endif\n")
    assert amd is True
    assert nvidia is False


@pytest.mark.parametrize(
    "condition",
    [
        "#ifndef USE_ROCM",
        "#if !defined(USE_ROCM)",
        "#if !(defined(__HIP__) || defined(__HIP_PLATFORM_AMD__))",
        "#ifdef USE_ROCM\n#else",
        "#if defined(USE_ROCM) || defined(__HIP_PLATFORM_AMD__)\n#else",
        "#if __CUDA_ARCH__ >= 800",
        "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700 && !defined(USE_ROCM)",
        "#if CUDA_VERSION >= 11000",
        "#ifdef __NVCC__",
        "#ifdef USE_CUDNN",
        "#ifdef USE_ROCM\n#define IS_AMD 1\n#endif\n#ifndef IS_AMD",
        "#ifdef USE_ROCM\n#define ON_AMD 1\n#else\n#define ON_AMD 0\n#endif\n#if !ON_AMD",
        "#if BUILD_HIP\n#endif\n#if BUILD_CUDA",
    ],
)
def test_not_on_amd(condition: str) -> None:
    assert worlds(f"{condition}\nhere\n#endif\n")[0] is False


@pytest.mark.parametrize(
    "condition",
    [
        "#ifdef __CUDACC__",
        "#ifdef SOME_FEATURE",
        "#if defined(USE_ROCM) || __CUDA_ARCH__ >= 700",
        "#if __CUDA_ARCH__ < 700",
        "#ifndef NAME_H\n#define NAME_H",
        "#ifndef WIDTH\n#define WIDTH 4",
        "#if HIP_VERSION >= 60200000 || !defined(USE_ROCM)",
        "#ifdef USE_ROCM\nother\n#endif\n#if 1",
    ],
)
def test_may_run_on_amd(condition: str) -> None:
    assert worlds(f"{condition}\nhere\n#endif\n")[0] is not False


def test_nested() -> None:
    text = "#ifdef USE_ROCM\n#if HIP_VERSION > 1\nhere\n#endif\n#endif\n#ifdef X\n#ifndef USE_ROCM\nthere\n#endif\n#endif\n"
    assert worlds(text)[1] is False
    assert worlds(text, "there")[0] is False


def test_macro_meaning_changes_with_the_branch() -> None:
    text = "#ifdef USE_ROCM\n#define FAST 0\n#else\n#define FAST 1\n#endif\n#if FAST\nhere\n#endif\n"
    assert worlds(text) == (False, True)
