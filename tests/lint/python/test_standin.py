"""Rewritten examples run: as before on NVIDIA, down the right branch on ROCm."""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest
from amdlint.kb import load
from amdlint.kb.model import Example

from . import standin
from .standin import A100, H100, MI200, MI300, MI350, RDNA3, T4, Machine, Trace

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs the torch extra"),
]
# Rewrites that change what can be seen on NVIDIA, though not what the program does there.
VISIBLE = {
    "ray-noset-visible-devices": "sets names that Ray reads with AMD GPUs only",
    "half-operator-macros": "undefines macros that nvcc does not define",
    "onnx-cuda-provider": "asks for the list of providers first",
    "triton-tf32-precision": "leaves out an argument that has this default",
    "hip-device-string": "the device that was named works nowhere",
    "device-name-table": "adds rows that no NVIDIA name looks up",
}


def rewritten(level: str = "safe") -> list[Any]:
    return [
        pytest.param(entry.slug, example, id=f"{entry.slug}-{i}")
        for entry in load()
        if entry.rule == "python"
        for i, example in enumerate(entry.examples)
        if example.fix == level
    ]


@pytest.mark.parametrize("kind", [H100, A100, T4], ids=lambda k: k.arch)
@pytest.mark.parametrize(("slug", "example"), rewritten())
def test_nvidia_sees_no_difference(slug: str, example: Example, kind: Machine) -> None:
    assert example.bad is not None
    assert example.fixed is not None
    before, after = standin.run(example.bad, kind), standin.run(example.fixed, kind)
    if slug == "hip-device-string":
        return
    assert after.errors == before.errors
    if slug not in VISIBLE:
        assert after.results == before.results
        assert after.calls == before.calls
        assert {k: v for k, v in after.values.items() if k in before.values} == before.values


@pytest.mark.parametrize("kind", [MI200, MI300, MI350, RDNA3], ids=lambda k: k.arch)
@pytest.mark.parametrize(("slug", "example"), rewritten())
def test_rocm_raises_nothing(slug: str, example: Example, kind: Machine) -> None:
    assert example.fixed is not None
    assert standin.run(example.fixed, kind).errors == []


def code_of(slug: str) -> list[Example]:
    entry = load().find(slug)
    assert entry is not None
    return [e for e in entry.examples if e.log is None]


def fixed(slug: str, index: int, kind: Machine) -> Trace:
    text = code_of(slug)[index].fixed
    assert text is not None
    return standin.run(text, kind)


@pytest.mark.parametrize(
    ("slug", "index", "name", "expected"),
    [
        ("capability-gate", 0, "USE_FA3", "False"),
        ("capability-gate", 2, "mode", "'plain'"),
        ("capability-gate", 3, "fused", "False"),
        ("cudnn-version-compare", 0, "layout", None),
        ("torch-version-tag", 0, "has_cuda", "True"),
        ("nvidia-presence-check", 0, "HAS_GPU", "True"),
        ("cuda-version-none", 0, "CUDA_VERSION", "None"),
        ("triton-tf32-precision", 1, "PRECISIONS", "['ieee']"),
    ],
)
def test_values_on_rocm(slug: str, index: int, name: str, expected: str | None) -> None:
    assert fixed(slug, index, MI300).values.get(name) == expected


@pytest.mark.parametrize(
    ("slug", "index", "kind", "name", "expected"),
    [
        ("capability-gate", 1, MI300, "pick_dtype", "torch.bfloat16"),
        ("device-name-table", 0, MI300, "peak_flops", "1307000000000000.0"),
        ("device-name-table", 1, MI350, "peak", "2500"),
        ("device-name-table", 1, MI200, "peak", "191.5"),
        ("warp-size-assumed", 0, MI300, "threads", "2560000"),
        ("warp-size-assumed", 0, RDNA3, "threads", "1280000"),
        ("triton-num-warps-32", 1, MI300, "settings", "16"),
        ("fp8-fnuz-everywhere", 0, MI300, "fp8_dtype", "torch.float8_e4m3fnuz"),
        ("fp8-fnuz-everywhere", 0, MI350, "fp8_dtype", "torch.float8_e4m3fn"),
        ("fp8-dtype-hardcoded", 1, MI300, "Fp8Config.forward", "torch.float8_e4m3fnuz"),
        ("fp8-dtype-hardcoded", 1, MI350, "Fp8Config.forward", "torch.float8_e4m3fn"),
        ("fp8-dtype-hardcoded", 1, H100, "Fp8Config.forward", "torch.float8_e4m3fn"),
        ("pynvml", 1, MI300, "Meter.milliwatts", "300000"),
        ("pynvml", 1, H100, "Meter.handle", None),
        ("cuda-version-none", 1, MI300, "fast_path", "False"),
    ],
)
def test_results(slug: str, index: int, kind: Machine, name: str, expected: str | None) -> None:
    result = fixed(slug, index, kind).results.get(name)
    assert result == expected if expected is not None else result is not None


@pytest.mark.parametrize(
    ("slug", "index", "calls"),
    [
        ("nccl-hardcoded", 0, ["init_process_group('nccl')"]),
        ("activate-fa3", 0, []),
        ("varlen-num-splits", 0, ["num_splits=None"]),
        ("tf32-training-argument", 0, ["tf32=None"]),
        ("codecarbon-callback", 0, ["report_to=['tensorboard']"]),
        ("cuda-home-none", 0, ["library_dirs=['/opt/rocm/lib']"]),
        ("nvcc-only-flags", 0, ["'nvcc': ['-O3']"]),
        ("nvcc-only-flags", 1, ["extra_cuda_cflags=['-O2']"]),
        ("cuda-link-libraries", 0, ["libraries=['hipblas', 'hipsolver']"]),
        ("nvcc-subprocess", 1, ["hipcc -shared -fPIC"]),
        ("triton-num-warps-32", 0, ["num_warps=16"]),
        ("triton-num-stages-zero", 0, ["num_stages=1"]),
        ("triton-cluster-options", 0, ["num_ctas=1"]),
        ("triton-warp-specialization", 0, ["triton.Config({'BM': 128}, num_warps=4)"]),
        ("vllm-nvidia-backend", 0, ["quantization='gptq'"]),
        ("pip-cuda-index", 0, ["https://download.pytorch.org/whl/rocm7.2"]),
    ],
)
def test_calls_on_rocm(slug: str, index: int, calls: list[str]) -> None:
    seen = fixed(slug, index, MI300).calls
    if not calls:
        assert seen == []
    for call in calls:
        assert any(call in s for s in seen), seen


FAILING = {
    "cuda-version-none": "AttributeError",
    "cuda-version-required": "RuntimeError",
    "cuda-home-none": "TypeError",
    "gencode-flags-api": "ValueError",
    "sm-arch-string": "ValueError",
    "smem-optin-attribute": "AttributeError",
    "flash-attn-3": "ModuleNotFoundError",
    "pynvml": "ModuleNotFoundError",
    "apex-required": "ModuleNotFoundError",
    "tf32-training-argument": "ValueError",
    "codecarbon-callback": "RuntimeError",
    "varlen-num-splits": "RuntimeError",
    "activate-fa3": "ModuleNotFoundError",
}


@pytest.mark.parametrize(("slug", "error"), sorted(FAILING.items()))
def test_examples_really_fail_before(slug: str, error: str) -> None:
    """The bad examples fail on the ROCm stand-in in the way that their entries say."""
    example = code_of(slug)[0]
    assert example.bad is not None
    errors = standin.run(example.bad, MI300).errors
    assert any(error in e for e in errors), errors
