"""How sources are built, as far as the repository says, and what that makes of a bare cudaMalloc."""

from __future__ import annotations

from pathlib import Path

import pytest
from amdlint.lint import engine
from amdlint.lint.native import builds
from amdlint.lint.repo import Repo
from amdlint.lint.settings import Settings

SOURCE = "#include <cuda_runtime.h>\nvoid* f() { void* p; cudaMalloc(&p, 4); return p; }\n"


def repo(**files: str) -> Repo:
    names = {
        "make": "Makefile",
        "cmake": "CMakeLists.txt",
        "setup": "setup.py",
        "sh": "build.sh",
        "near": "src/CMakeLists.txt",
        "op": "src/op.cu",
        "hip": "src/hip/op.cu",
    }
    texts = {Path("r") / names[n]: t.encode() for n, t in files.items()}
    return Repo(Path("r"), list(texts), texts)


def build(r: Repo) -> str:
    return builds.knowledge(r).build(r, Path("r/src/op.cu"))


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, "unknown"),
        ({"make": "op: src/op.cu\n\tnvcc -o op src/op.cu\n"}, "nvcc"),
        ({"make": "NVCC=nvcc\n%.o: %.cu\n\t$(NVCC) -c $<\n"}, "nvcc"),
        ({"sh": "nvcc -shared -o op.so src/op.cu\n"}, "nvcc"),
        ({"cmake": "project(p CUDA)\nadd_library(op src/op.cu)\n"}, "nvcc"),
        (
            {
                "setup": "from torch.utils.cpp_extension import CUDAExtension\nCUDAExtension('op', ['src/op.cu'])\n"
            },
            "torch",
        ),
        (
            {
                "cmake": "project(p CUDA)\nadd_library(op src/op.cu)\n",
                "setup": "CUDAExtension('op', ['src/op.cu'])\n",
            },
            "torch",
        ),
        ({"make": "op:\n\thipify-perl src/op.cu > op.hip\n\tnvcc src/op.cu\n"}, "hip"),
        ({"make": "op:\n\tnvcc src/op.cu\n", "hip": ""}, "hip"),
        ({"make": "other:\n\tnvcc other.cu\n"}, "unknown"),
        # only another build could reach a source that lies beside nvcc's
        ({"near": "project(p CUDA)\nadd_library(other other.cu)\n"}, "nvcc"),
        (
            {
                "near": "project(p CUDA)\nadd_library(other other.cu)\n",
                "setup": "CUDAExtension('op', ['src/op.cu'])\n",
            },
            "torch",
        ),
    ],
)
def test_build(files: dict[str, str], expected: str) -> None:
    assert build(repo(op=SOURCE, **files)) == expected


@pytest.mark.parametrize(("files", "codes"), [({}, []), ({"make": "op:\n\tnvcc src/op.cu\n"}, ["AMD2206"])])
def test_bare_names_matter_only_where_nothing_translates_them(
    files: dict[str, str], codes: list[str]
) -> None:
    r = repo(op=SOURCE, **files)
    path = Path("r/src/op.cu")
    report = engine.check(engine.read(path, SOURCE.encode()), r, Settings())
    assert [f.code for f in report.findings] == codes


def test_after_a_rewrite_headers_are_read_anew_and_builds_are_known() -> None:
    source = Path("r/src/op.cu")
    header = Path("r/src/op.h")
    texts = {
        source: b'#include "op.h"\n__device__ void f() { __trap(); }\n',
        header: b"#pragma once\n",
        Path("r/Makefile"): b"op:\n\tnvcc src/op.cu\n",
    }
    first = Repo(Path("r"), list(texts), texts)
    codes = [f.code for f in engine.check(engine.read(source, texts[source]), first, Settings()).findings]
    assert "AMD3237" in codes
    known = builds.knowledge(first)
    later = first.with_text(header, b"#pragma once\n#define __trap() __builtin_trap()\n").with_text(
        Path("r/a.py"), b""
    )
    codes = [f.code for f in engine.check(engine.read(source, texts[source]), later, Settings()).findings]
    assert "AMD3237" not in codes
    assert builds.knowledge(later) is not known
    assert build(later) == "nvcc"


def test_sources_of_the_cuda_side_only_are_silent() -> None:
    cmake = (
        "if(BUILD_CUDA)\n  add_library(op src/op.cu)\nelseif(BUILD_HIP)\n  enable_language(HIP)\nendif()\n"
    )
    text = "__device__ void f() { __trap(); }\n"
    r = repo(op=text, cmake=cmake)
    path = Path("r/src/op.cu")
    assert engine.check(engine.read(path, text.encode()), r, Settings()).findings == []


def test_cmake_sides() -> None:
    text = "set(A a.cu)\nif(USE_CUDA)\nlist(APPEND A b.cu)\nelse()\nlist(APPEND A c.cpp)\nendif()\nif(NOT USE_ROCM)\nset(B d.cu)\nendif()\n"
    assert builds.cmake_sides(text) == {
        "a.cu": {"both"},
        "b.cu": {"cuda"},
        "c.cpp": {"hip"},
        "d.cu": {"cuda"},
    }
