"""``amdlint query``: known names, near misses, exit codes, both formats."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from amdlint.lint import query
from amdlint.lint.cli import cli
from click.testing import CliRunner


def ask(name: str, **options: str) -> tuple[int, str]:
    out = io.StringIO()
    return query.run(name, stream=out, **options), out.getvalue()


def data(name: str) -> dict[str, Any]:
    code, text = ask(name, format="json")
    answer = json.loads(text)
    assert answer["query"] == name
    assert code == (0 if answer["found"] else 1)
    return answer


@pytest.mark.parametrize(
    ("name", "kind", "status", "amd"),
    [
        ("cudaMalloc", "CUDA runtime function", "renamed", "hipMalloc"),
        ("cudaMalloc(", "CUDA runtime function", "renamed", "hipMalloc"),
        ("cublasSgemm", "cuBLAS function", "renamed", "hipblasSgemm"),
        ("cublasLtMatmul", "cuBLASLt function", "renamed", "hipblasLtMatmul"),
        ("cuMemAlloc", "CUDA driver function", "renamed", "hipMalloc"),
        ("ncclAllReduce", "NCCL function", "same", "ncclAllReduce"),
        ("cudnnConvolutionForward", "cuDNN function", "renamed", "miopenConvolutionForward"),
        ("cudaD3D11GetDevice", "CUDA runtime function", "none", None),
        ("cuda_fp16.h", "header", "renamed", "hip/hip_fp16.h"),
        ("<cuda_bf16.h>", "header", "renamed", "hip/hip_bf16.h"),
        ("cudaMallocManaged", "CUDA API", "differs", "hipMallocManaged"),
        ("__shfl_down_sync", "warp", "differs", "__shfl_down_sync"),
        ("__CUDA_ARCH__", "macro", "none", None),
        ("nvidia-smi", "NVIDIA product", "renamed", "amd-smi (rocm-smi until ROCm 10.0)"),
        (
            "NCCL",
            "NVIDIA product",
            "renamed",
            "RCCL (same API and NCCL_ variables; torch backend name stays nccl)",
        ),
        ("pynvml", "header", "none", None),
    ],
)
def test_what_a_cuda_name_becomes(name: str, kind: str, status: str, amd: str | None) -> None:
    first = data(name)["answers"][0]
    assert (first["kind"], first["status"], first["amd"]) == (kind, status, amd)
    assert first["sources"]
    assert all(s.startswith("https://") for s in first["sources"])
    assert first["as_of"]


@pytest.mark.parametrize(
    ("name", "kind", "found"),
    [
        ("PYTORCH_ROCM_ARCH", "environment variable", "PYTORCH_ROCM_ARCH"),
        ("HSA_OVERRIDE_GFX_VERSION=10.3.0", "environment variable", "HSA_OVERRIDE_GFX_VERSION"),
        ("TORCH_CUDA_ARCH_LIST", "environment variable", "PYTORCH_ROCM_ARCH"),
        ("expandable_segments", "PYTORCH_ALLOC_CONF option", "expandable_segments"),
        ("bitsandbytes", "package", "bitsandbytes"),
        ("RX 7900 XTX", "GPU", "AMD Radeon RX 7900 XTX"),
        ("gfx942", "gfx target", "gfx942"),
        ("rdna3.5", "target family", "rdna3.5"),
        ("rocm 7.2", "ROCm release", "7.2.4"),
        ("hipMalloc", "HIP name", "hipMalloc"),
        ("iommu=pt", "kernel command line", "iommu=pt"),
        ("CUDAMALLOC", "CUDA runtime function", "cudaMalloc"),
    ],
)
def test_other_kinds_of_names(name: str, kind: str, found: str) -> None:
    first = data(name)["answers"][0]
    assert (first["kind"], first["name"]) == (kind, found)


def test_a_gpu_with_all_that_matters() -> None:
    facts = {f["label"]: f["text"] for f in data("RX 6700 XT")["answers"][0]["facts"]}
    assert facts["target"] == "gfx1031, RDNA2"
    assert facts["capability"].startswith("(10, 3)")
    assert facts["override"].startswith("HSA_OVERRIDE_GFX_VERSION=10.3.0")
    assert facts["wheels"] == "in no official PyTorch wheel"


def test_what_hip_lacks_is_said_with_the_age_of_the_statement() -> None:
    first = data("cudaD3D11GetDevice")["answers"][0]
    assert {
        "label": "on ROCm",
        "text": "no counterpart in HIPIFY's tables for ROCm 7.0.0; a newer ROCm may have one",
    } in first["facts"]


def test_near_misses() -> None:
    answer = data("cudaMalocManaged")
    assert answer["found"] is False
    assert answer["suggestions"][0] == "cudaMallocManaged"
    code, text = ask("cudaMalocManaged")
    assert code == 1
    assert text.startswith("nothing is known about 'cudaMalocManaged'\n  did you mean: cudaMallocManaged, ")


def test_nothing_near() -> None:
    assert ask("qqqqzzzz") == (1, "nothing is known about 'qqqqzzzz'\n")
    assert data("qqqqzzzz")["suggestions"] == []
    assert data("")["found"] is False


def test_text_answer() -> None:
    code, text = ask("cublasSgemm")
    lines = text.splitlines()
    assert code == 0
    assert lines[:3] == [
        "cublasSgemm  (cuBLAS function): another name",
        "  use            hipblasSgemm  [hipBLAS]",
        "  since ROCm     1.8.2",
    ]
    assert max(map(len, lines)) <= 100


def test_long_text_is_wrapped_under_itself() -> None:
    _, text = ask("__launch_bounds__")
    body = [line for line in text.splitlines() if line.startswith(" " * 17)]
    assert body
    assert "execution unit" in " ".join(text.split())


def test_chinese_labels() -> None:
    _, text = ask("cublasSgemm", lang="zh")
    assert text.splitlines()[1].split() == ["使用", "hipblasSgemm", "[hipBLAS]"]
    assert "没有关于 'qqqqzzzz' 的信息" in ask("qqqqzzzz", lang="zh")[1]


def test_entries_that_speak_of_the_name() -> None:
    entries = data("HSA_OVERRIDE_GFX_VERSION")["entries"]
    assert entries
    for entry in entries:
        assert entry["url"].startswith("https://amdlint.github.io/amdlint/entries/")
        assert entry["code"].startswith("AMD")


def test_a_code_leads_to_its_entry() -> None:
    from amdlint.kb import load

    entry = next(iter(load()))
    answer = data(entry.code)
    assert [e["code"] for e in answer["entries"]] == [entry.code]


def test_a_plain_word_is_not_searched_in_the_entries() -> None:
    assert data("memory")["entries"] == []


@pytest.mark.parametrize(
    ("arguments", "first"),
    [
        (["--use_fast_math"], "--use_fast_math  (nvcc option): no counterpart"),
        (["-use_fast_math"], "-use_fast_math  (nvcc option): behaves otherwise"),
        (["-gencode", "arch=compute_80,code=sm_80"], "-gencode  (nvcc option): no counterpart"),
        (["--maxrregcount=64"], "-maxrregcount  (nvcc option): no counterpart"),
        (["RX", "7900", "XTX"], "AMD Radeon RX 7900 XTX  (GPU)"),
    ],
)
def test_on_the_command_line(arguments: list[str], first: str) -> None:
    result = CliRunner().invoke(cli, ["query", *arguments, "--lang", "en"])
    assert result.exit_code == 0
    assert result.output.splitlines()[0] == first


def test_exit_code_and_json_on_the_command_line() -> None:
    result = CliRunner().invoke(cli, ["query", "cudaMalocManaged", "--format", "json"])
    assert result.exit_code == 1
    assert json.loads(result.output)["suggestions"][0] == "cudaMallocManaged"
