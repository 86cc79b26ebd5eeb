"""Code that works unchanged on ROCm: nothing may be reported but notes."""

from __future__ import annotations

import pytest
from amdlint.kb import load
from amdlint.lint.engine import check_text

PORTABLE = {
    "devices": """
import torch

x = torch.ones(2, device="cuda")
y = x.cuda().to("cuda:0")
assert y.is_cuda and torch.cuda.is_available() and torch.cuda.device_count() > 0
with torch.cuda.stream(torch.cuda.Stream()):
    event = torch.cuda.Event(enable_timing=True)
torch.cuda.synchronize()
""",
    "mixed precision": """
import torch
from torch.cuda.amp import GradScaler, autocast

scaler = GradScaler()
with torch.autocast("cuda", dtype=torch.bfloat16):
    pass
dtype = torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
""",
    "distributed": """
import os
import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel

os.environ["NCCL_DEBUG"] = "INFO"
os.environ.setdefault("TORCH_NCCL_ASYNC_ERROR_HANDLING", "1")
os.environ["CUDA_VISIBLE_DEVICES"] = "0,1"
os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
dist.init_process_group(backend="nccl")
if dist.is_nccl_available() and torch.cuda.nccl.version() >= (2, 10):
    model = FullyShardedDataParallel(None)
""",
    "switches": """
import torch

torch.backends.cudnn.benchmark = True
torch.backends.cudnn.deterministic = False
torch.backends.cudnn.allow_tf32 = True
torch.backends.cuda.matmul.allow_tf32 = True
torch.set_float32_matmul_precision("high")
torch.use_deterministic_algorithms(True)
""",
    "graphs, ranges, profiles": """
import torch
from torch.profiler import ProfilerActivity, profile

g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    pass
torch.cuda.nvtx.range_push("step")
torch.cuda.nvtx.range_pop()
torch.cuda.cudart().cudaProfilerStart()
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as prof:
    pass
print(prof.key_averages().table(sort_by="cuda_time_total"))
""",
    "memory and monitoring": """
import torch

free, total = torch.cuda.mem_get_info()
torch.cuda.memory._record_memory_history()
print(torch.cuda.memory_summary(), torch.cuda.max_memory_allocated())
print(torch.cuda.utilization(), torch.cuda.temperature(), torch.cuda.power_draw(), torch.cuda.clock_rate())
try:
    pass
except torch.cuda.OutOfMemoryError:
    torch.cuda.empty_cache()
alloc = torch.cuda.memory.CUDAPluggableAllocator("a.so", "m", "f")
""",
    "compile and attention": """
import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel


@torch.compile(mode="max-autotune")
def f(q, k, v):
    with sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)
""",
    "extension": """
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(
    name="ops",
    ext_modules=[CUDAExtension("ops", ["a.cpp", "a.cu"], extra_compile_args={"cxx": ["-O3"], "nvcc": ["-O3", "-std=c++17", "-DFOO=1"]})],
    cmdclass={"build_ext": BuildExtension},
    install_requires=["torch", "transformers", "bitsandbytes", "flash-attn", "triton"],
)
""",
    "packages with AMD builds": """
import bitsandbytes as bnb
from flash_attn import flash_attn_func
from liger_kernel.transformers import LigerRMSNorm
from transformers import AutoModelForCausalLM, BitsAndBytesConfig, TrainingArguments

q = BitsAndBytesConfig(load_in_4bit=True)
m = AutoModelForCausalLM.from_pretrained("m", attn_implementation="flash_attention_2", quantization_config=q)
args = TrainingArguments("out", bf16=True, optim="adamw_bnb_8bit", tf32=False)
""",
    "triton": """
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.autotune(configs=[triton.Config({"B": 128}, num_warps=w, num_stages=2) for w in (4, 8)], key=["n"])
@triton.jit
def k(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, libdevice.tanh(tl.load(x + i, mask=i < n)), mask=i < n)


def run(x):
    k[(triton.cdiv(x.numel(), 128),)](x, x.numel())
    batch = 32 * 4
    return batch
""",
    "prose": '''
"""Runs nvcc, nvidia-smi and pynvml; needs get_device_capability() >= (9, 0)."""

import argparse
import logging

HELP = "on 'CUDA out of memory' lower the batch; see nvidia-smi or https://download.pytorch.org/whl/cu121"
p = argparse.ArgumentParser(description="num_warps=32, --use_fast_math, torch.float8_e4m3fn")
p.add_argument("--arch", default="sm_90", help="passed to nvcc as -gencode")
logging.warning("CUDA out of memory: try PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True")
raise RuntimeError("CUDA out of memory. Install with --index-url https://download.pytorch.org/whl/cu121")
''',
    "questions without consequences": """
import torch

print(torch.cuda.get_device_capability(), torch.cuda.get_device_name(), torch.version.cuda)
info = {"cuda": torch.version.cuda, "name": torch.cuda.get_device_name(0), "cudnn": torch.backends.cudnn.version()}
HAS_CUDA = torch.version.cuda is not None
tag = f"torch {torch.__version__} CUDA {torch.version.cuda}"
""",
    "own things with known names": """
from mylab import apex_local, cuda, nvml
from mylab.cuda import bindings


class Board:
    name = "H100"
    major = 9
    num_warps = 32
    warp_size = 32


def check_output(command):
    return command


def fork(x):
    return x


out = check_output(["nvidia-smi"])
ok = Board.major >= 9 and "A100" in Board.name
tf32 = True
providers = ["gpu", "cpu"]
""",
}


@pytest.mark.parametrize("text", PORTABLE.values(), ids=PORTABLE)
def test_nothing_but_notes(text: str) -> None:
    severities = {e.code: e.severity for e in load()}
    found = [f for f in check_text("example.py", text) if (f.severity or severities[f.code]) != "note"]
    assert found == []
