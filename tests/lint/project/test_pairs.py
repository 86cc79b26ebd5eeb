"""A file that has a twin for AMD, or serves both vendors itself, is silent."""

from __future__ import annotations

from pathlib import Path

import pytest
from amdlint.lint import engine
from amdlint.lint.repo import Repo
from amdlint.lint.settings import Settings

CUDA_IMAGE = "FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\n"
CUDA_INDEX = "--index-url https://download.pytorch.org/whl/cu124\ntorch\n"
WORKFLOW = "on: push\njobs:\n  gpu:\n    runs-on: gpu\n    steps:\n      - run: nvidia-smi\n"


def codes(path: str, text: str, *others: str) -> list[str]:
    texts = {Path(path): text.encode(), **{Path(o): b"x\n" for o in others}}
    repo = Repo(Path("."), list(texts), texts)
    return [f.code for f in engine.check(engine.read(Path(path), text.encode()), repo, Settings()).findings]


@pytest.mark.parametrize(
    ("path", "text", "twin"),
    [
        ("requirements-cuda.txt", CUDA_INDEX, "requirements-rocm.txt"),
        ("requirements/cuda.txt", CUDA_INDEX, "requirements/rocm.txt"),
        ("requirements.txt", CUDA_INDEX, "requirements-rocm.txt"),
        ("Dockerfile", CUDA_IMAGE, "Dockerfile.rocm"),
        ("docker/Dockerfile.base", CUDA_IMAGE, "docker/Dockerfile.rocm"),
        ("docker/cu124/Dockerfile.app", CUDA_IMAGE, "docker/rocm/Dockerfile"),
        ("docker/docker-cuda/Dockerfile.base", CUDA_IMAGE, "docker/docker-rocm/docker-compose.yml"),
        (".github/workflows/nv-test.yml", WORKFLOW, ".github/workflows/amd-mi200.yml"),
        ("docker-compose.yml", "services:\n  a:\n    runtime: nvidia\n", "docker-compose.amd.yml"),
    ],
)
def test_pairs(path: str, text: str, twin: str) -> None:
    assert codes(path, text)
    assert codes(path, text, twin) == []


@pytest.mark.parametrize(
    ("path", "text", "other"),
    [
        ("requirements.txt", CUDA_INDEX, "Dockerfile.rocm"),
        ("a/Dockerfile", CUDA_IMAGE, "b/Dockerfile.rocm"),
        ("requirements.txt", CUDA_INDEX, "requirements-cpu.txt"),
        ("docker/Dockerfile", CUDA_IMAGE, "amdocs/readme.txt"),
    ],
)
def test_no_pairs(path: str, text: str, other: str) -> None:
    assert codes(path, text, other)


def test_cuda_wheels_in_a_rocm_image_are_reported() -> None:
    text = (
        "FROM rocm/pytorch:latest\nRUN pip install torch --index-url https://download.pytorch.org/whl/cu124\n"
    )
    assert codes("Dockerfile", text) == ["AMD8100"]


def test_requirements_of_one_package_are_opt_in() -> None:
    assert codes("requirements/vllm.txt", "vllm>=0.8\n") == []
    assert codes("requirements/serve.txt", "vllm>=0.8\n") == ["AMD6109"]


def test_nvml_is_silent_where_the_code_knows_amd() -> None:
    path = Path("requirements.txt")
    texts = {
        path: b"nvidia-ml-py\n",
        Path("pkg/gpu.py"): b"try:\n    import amdsmi\nexcept ImportError:\n    import pynvml\n",
    }
    repo = Repo(Path("."), list(texts), texts)
    assert engine.check(engine.read(path, texts[path]), repo, Settings()).findings == []
