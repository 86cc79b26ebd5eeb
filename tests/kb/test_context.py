"""What a log says about the machine, in the spellings of the tools that print it."""

from __future__ import annotations

import pytest
from amdlint.kb import clean, context, evidence


def read(log: str) -> context.Context:
    return context.read(clean.clean(log))


@pytest.mark.parametrize(
    ("log", "gpus", "gfx"),
    [
        ("  Marketing Name:          AMD Radeon RX 7900 XTX", ("AMD Radeon RX 7900 XTX",), ("gfx1100",)),
        ("Device: cuda:0 AMD Instinct MI300X : native", ("AMD Instinct MI300X",), ("gfx942",)),
        ("8x MI355X, torch 2.10", ("AMD Instinct MI355X",), ("gfx950",)),
        ("GPU: RX 6700XT", ("AMD Radeon RX 6700 XT",), ("gfx1031",)),
        ("Total memory: 96 GB, Radeon 8060S Graphics", ("AMD Radeon 8060S",), ("gfx1151",)),
        ("    Name:                    gfx90a:sramecc+:xnack-", (), ("gfx90a",)),
        ("pytorch version: 2.9\nAMD arch: gfx1201", (), ("gfx1201",)),
        ("NVIDIA GeForce RTX 4090", (), ()),
        ("AMD Ryzen 7 5800X 8-Core Processor", (), ()),
    ],
)
def test_gpus(log: str, gpus: tuple[str, ...], gfx: tuple[str, ...]) -> None:
    found = read(log)
    assert set(found.gpus) == set(gpus)
    assert found.gfx == gfx


def test_the_list_of_targets_of_a_library_is_not_this_machine() -> None:
    log = "\n".join(
        f'"/opt/rocm/lib/rocblas/library/TensileLibrary_lazy_{g}.dat"'
        for g in ("gfx1030", "gfx1100", "gfx906")
    )
    assert read(log).gfx == ()
    assert read(f"rocBLAS error: no file for GPU arch : gfx1036\n{log}").gfx == ("gfx1036",)


@pytest.mark.parametrize(
    ("log", "torch", "rocm"),
    [
        ("torch 2.9.0+rocm6.4", "2.9.0+rocm6.4", "6.4"),
        ("torch                     2.3.0.dev20231220+rocm5.6", "2.3.0.dev20231220+rocm5.6", "5.6"),
        ("PyTorch version: 2.10.0a0+rocm7.10.0a20251120", "2.10.0a0+rocm7.10.0a20251120", "7.10.0"),
        ("torch.__version__  = 2.7.0+rocm6.3", "2.7.0+rocm6.3", "6.3"),
        ("2.0.1+rocm5.4.2 5.4.22803-474e8620 AMD Instinct MI250X", "2.0.1+rocm5.4.2", "5.4.2"),
        ("torchvision 0.25.0\ntorch==2.9.1", "2.9.1", None),
        ("torchaudio 2.5.1", None, None),
        ("ROCm version: (7, 2)", None, "7.2"),
        ("ROCm version : 6.4.0.0-47-73dae9c", None, "6.4.0"),
        ("rocBLAS error: Cannot read /opt/rocm-6.4.1/lib/x", None, "6.4.1"),
        ("Cannot read C:\\Program Files\\AMD\\ROCm\\6.2\\bin\\x", None, "6.2"),
        ("ROCM used to build PyTorch: 6.1.40091-a8dbc0c19", None, "6.1"),
        ("RCCL version 2.16.5+hip5.6 HEAD:a6b8d5a+", None, "5.6"),
        ("module load rocm/6.2.1", None, "6.2.1"),
        ("ERROR: No matching (from versions: 2.8.0+rocm6.4, 2.9.0+rocm7.0)", None, None),
    ],
)
def test_versions(log: str, torch: str | None, rocm: str | None) -> None:
    found = read(log)
    assert (found.torch, found.rocm) == (torch, rocm)


def test_the_rocm_of_the_system_and_of_the_wheel_are_both_known() -> None:
    found = read("torch 2.3.0+rocm5.6\nLD_LIBRARY_PATH=/opt/rocm-6.0.0/lib")
    assert found.rocm_versions == ("6.0.0", "5.6")


@pytest.mark.parametrize(
    ("log", "python", "os"),
    [
        ('File "/usr/lib/python3.12/x.py", line 1', "3.12", "linux"),
        ("Python 3.8.20", "3.8.20", None),
        ("torch-2.9.0-cp313-cp313-linux_x86_64.whl", "3.13", "linux"),
        ("C:\\Users\\u\\AppData\\Python311\\python.exe", "3.11", "windows"),
        ("Linux DESKTOP 6.6.87.2-microsoft-standard-WSL2", None, "wsl"),
    ],
)
def test_python_and_system(log: str, python: str | None, os: str | None) -> None:
    found = read(log)
    assert (found.python, found.os) == (python, os)


def test_packages() -> None:
    found = read("bitsandbytes             0.49.2\nvllm==0.6.3\nflash_attn 2.8.3\nPackage    Version")
    assert found.packages["bitsandbytes"] == "0.49.2"
    assert found.packages["vllm"] == "0.6.3"
    assert found.packages["flash-attn"] == "2.8.3"


def test_ranks() -> None:
    assert read("[rank3]: a\n[rank0]: b\nc").ranks == (0, 3)


@pytest.mark.parametrize(
    "log",
    [
        "RuntimeError: HIP error: invalid device function",
        "hipErrorNoBinaryForGpu",
        "torch 2.9.0+rocm6.4",
        "rocminfo | grep gfx1100",
        "GPU[0]: AMD Radeon RX 6600",
        "8x MI300X",
        "amdgpu: [gfxhub] page fault",
        "RCCL version 2.22.3",
        "Unable to open /dev/kfd read-write: Permission denied",
        "CUDA error: an illegal memory access was encountered (hipErrorIllegalAddress)",
    ],
)
def test_evidence_of_amd(log: str) -> None:
    assert evidence.of_text(log).amd
    assert not evidence.of_text(log).foreign


@pytest.mark.parametrize(
    "log",
    [
        "CUDA used to build PyTorch: 12.4\nROCM used to build PyTorch: N/A\nHIP runtime version: N/A\nMIOpen runtime version: N/A",
        "RuntimeError: torch._scaled_mm is only supported on CUDA devices with compute capability >= 9.0 or 8.9, or ROCm MI300+\nNVIDIA GeForce RTX 3050",
        "NVIDIA GeForce RTX 4060\nModel name: AMD Ryzen 7 7840HS w/ Radeon 780M Graphics",
        "NVIDIA A100-SXM4-80GB\nCPU: AMD EPYC 7763 64-Core Processor",
        "Unable to initialize backend 'rocm': NOT_FOUND: Could not find registered platform with name: \"rocm\". Available platform names are: CUDA",
        "pip: (from versions: 2.8.0+cu126, 2.8.0+rocm6.4)\ntorch==2.3.1+cu121",
        "-- USE_ROCM : OFF\nCUDA Version: 12.4",
        "torch 2.5.1+cu124 does not run on NVIDIA or AMD GPUs",
        "For AMD GPUs see the ROCm install guide: https://rocm.docs.amd.com/\nlibcudnn.so.9: cannot open shared object file",
        "No CMAKE_CUDA_COMPILER could be found.\n-- Could NOT find HIP (missing: HIP_FOUND)",
        "DEBUG ROCm platform is not available because: No module named 'amdsmi'\n+cu128",
    ],
)
def test_only_seeming_evidence(log: str) -> None:
    assert not evidence.of_text(log).amd


def test_a_cuda_build_or_an_nvidia_gpu_without_amd_is_foreign() -> None:
    assert evidence.of_text("torch 2.5.1+cu124").foreign
    assert evidence.of_text("NVIDIA A100-SXM4-80GB").foreign
    assert not evidence.of_text("KeyError: 'text'").foreign
    assert not evidence.of_text("torch 2.5.1+cu124 on a Radeon RX 7900 XTX").foreign


def test_both_vendors_named_is_contested() -> None:
    assert evidence.of_text("NVIDIA GeForce RTX 3090 and AMD Radeon RX 7900 XTX").contested
    assert evidence.of_text("torch 2.9+rocm7.0\nCompile with `TORCH_USE_CUDA_DSA`").contested
    assert not evidence.of_text("Found no NVIDIA driver; Radeon RX 7900 XTX").contested
