"""Stand-ins for an NVIDIA and for a ROCm machine, in which rewritten examples really run.

The torch that is installed is a CPU build. Its vendor facade (version, capability, names, properties,
arch list, CUDA_HOME ...) is replaced, and packages that only one vendor has are put into ``sys.modules``
or taken out of it. ``run`` executes a text, calls what it defines and returns what could be seen from outside.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import inspect
import os
import re
import shutil
import subprocess
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from unittest import mock


@dataclass
class Machine:
    """One kind of machine."""

    vendor: str
    capability: tuple[int, int]
    name: str
    arch: str

    @property
    def amd(self) -> bool:
        return self.vendor == "amd"


H100 = Machine("nvidia", (9, 0), "NVIDIA H100 80GB HBM3", "sm_90")
A100 = Machine("nvidia", (8, 0), "NVIDIA A100-SXM4-80GB", "sm_80")
T4 = Machine("nvidia", (7, 5), "Tesla T4", "sm_75")
MI200 = Machine("amd", (9, 0), "AMD Instinct MI250X", "gfx90a")
MI300 = Machine("amd", (9, 4), "AMD Instinct MI300X", "gfx942")
MI350 = Machine("amd", (9, 5), "AMD Instinct MI355X", "gfx950")
RDNA3 = Machine("amd", (11, 0), "AMD Radeon RX 7900 XTX", "gfx1100")


@dataclass
class Trace:
    """What a run showed: simple values of its globals, results of its functions, outside calls, errors."""

    values: dict[str, Any] = field(default_factory=dict)
    results: dict[str, Any] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


NVIDIA_ONLY = (
    "pynvml", "flash_attn_interface", "apex", "apex.optimizers", "flash_attn_2_cuda", "triton.backends.nvidia", "triton.backends.nvidia.compiler",
    "deep_gemm", "cupy", "tensorrt", "torch_tensorrt",
)  # fmt: skip
AMD_ONLY = ("triton.backends.amd", "triton.backends.amd.compiler")
EVERYWHERE = (
    "triton", "triton.language", "triton.language.extra", "triton.language.extra.libdevice", "triton.language.extra.cuda",
    "triton.language.extra.cuda.libdevice", "triton.backends", "triton.backends.compiler",
    "flash_attn", "flash_attn.flash_attn_interface", "transformers", "vllm", "gptqmodel", "xformers", "xformers.ops", "onnxruntime", "setuptools",
)  # fmt: skip


def package(name: str, log: list[str]) -> types.ModuleType:
    """A package that answers every name with something that records its calls."""
    module = types.ModuleType(name)
    module.__path__ = []  # type: ignore[attr-defined]

    def attribute(attr: str) -> Any:
        if attr.startswith("__"):
            raise AttributeError(attr)
        value = mock.MagicMock(name=f"{name}.{attr}")
        value.side_effect = lambda *a, **k: log.append(shown(f"{name}.{attr}", a, k)) or mock.DEFAULT
        setattr(module, attr, value)
        return value

    module.__getattr__ = attribute  # type: ignore[method-assign]
    return module


def shown(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    parts = [plain(a) for a in args] + [f"{k}={plain(v)}" for k, v in sorted(kwargs.items())]
    return f"{name}({', '.join(parts)})"


def plain(value: object) -> str:
    """A repr without addresses."""
    return re.sub(r" id='\d+'| at 0x[0-9a-f]+", "", repr(value))


@contextlib.contextmanager
def machine(kind: Machine, log: list[str]) -> Iterator[None]:
    """The world of one machine."""
    import torch
    import torch.distributed
    import torch.nn.attention
    import torch.nn.attention.varlen
    import torch.utils.cpp_extension as cpp

    amd = kind.amd
    props = types.SimpleNamespace(
        name=kind.name,
        major=kind.capability[0],
        minor=kind.capability[1],
        warp_size=64 if amd and kind.arch.startswith("gfx9") else 32,
        **(
            {"gcnArchName": f"{kind.arch}:sramecc+:xnack-"}
            if amd
            else {"shared_memory_per_block_optin": 232448}
        ),
    )

    def recorder(name: str, result: Any = None) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            log.append(shown(name, args, kwargs))
            return result

        return call

    def tool(name: str) -> Any:
        def call(command: Any, *args: Any, **kwargs: Any) -> Any:
            first = command.split()[0] if isinstance(command, str) else command[0]
            log.append(shown(name, (command, *args), kwargs))
            if amd and os.path.basename(first) in ("nvidia-smi", "nvcc"):
                raise FileNotFoundError(first)
            return "81559\n81559\n" if kwargs.get("text") else b"81559\n81559\n"

        return call

    def activate(impl: str) -> None:
        log.append(f"activate({impl})")
        if amd:
            raise ModuleNotFoundError("No module named 'flash_attn_interface'")

    def varlen(*args: Any, num_splits: int | None = None, **kwargs: Any) -> str:
        log.append(shown("varlen_attn", args, {**kwargs, "num_splits": num_splits}))
        if amd and num_splits is not None:
            raise RuntimeError("num_splits is not supported on ROCm")
        return "out"

    def library(name: str, *args: Any, **kwargs: Any) -> str:
        log.append(f"CDLL({name})")
        if amd and not name.startswith(("librccl", "libamdhip64")):
            raise OSError(f"{name}: cannot open shared object file")
        return "library"

    world: list[Any] = [
        mock.patch.object(torch.version, "cuda", None if amd else "12.8"),
        mock.patch.object(torch.version, "hip", "7.2.26015" if amd else None),
        mock.patch.object(torch, "__version__", "2.13.0+rocm7.2" if amd else "2.13.0+cu128"),
        mock.patch.object(torch.cuda, "is_available", lambda: True),  # noqa: PT008
        mock.patch.object(torch.cuda, "device_count", lambda: 2),  # noqa: PT008
        mock.patch.object(torch.cuda, "current_device", lambda: 0),  # noqa: PT008
        mock.patch.object(torch.cuda, "get_device_capability", lambda *_: kind.capability),  # noqa: PT008
        mock.patch.object(torch.cuda, "get_device_name", lambda *_: kind.name),  # noqa: PT008
        mock.patch.object(torch.cuda, "get_device_properties", lambda *_: props),  # noqa: PT008
        mock.patch.object(  # noqa: PT008
            torch.cuda,
            "get_arch_list",
            lambda: ["gfx90a", "gfx942", "gfx1100"] if amd else ["sm_80", "sm_90"],
        ),
        mock.patch.object(torch.cuda, "is_bf16_supported", lambda *_a, **_k: True),  # noqa: PT008
        mock.patch.object(torch.cuda, "mem_get_info", lambda *_: (81559 * 2**20, 81559 * 2**20)),  # noqa: PT008
        mock.patch.object(torch.cuda, "power_draw", lambda *_: 300 if amd else 300_000),  # noqa: PT008
        mock.patch.object(torch.cuda, "temperature", lambda *_: 40),  # noqa: PT008
        mock.patch.object(torch.backends.cudnn, "version", lambda: 3_004_000 if amd else 91_002),  # noqa: PT008
        mock.patch.object(torch.distributed, "init_process_group", recorder("init_process_group")),
        mock.patch.object(torch.distributed, "is_nccl_available", lambda: True),  # noqa: PT008
        mock.patch.object(torch.nn.attention, "activate_flash_attention_impl", activate, create=True),
        mock.patch.object(torch.nn.attention.varlen, "varlen_attn", varlen),
        mock.patch.object(torch.nn.functional, "scaled_dot_product_attention", recorder("sdpa", "out")),
        mock.patch.object(torch.optim, "AdamW", recorder("AdamW", "optimizer")),
        mock.patch.object(torch, "zeros", recorder("zeros", "tensor")),
        mock.patch.object(torch, "_scaled_mm", recorder("_scaled_mm", "product")),
        mock.patch.object(ctypes, "CDLL", library),
        mock.patch.object(torch.ops, "symm_mem", package("symm_mem", log), create=True),
        mock.patch.object(cpp, "CUDA_HOME", None if amd else "/usr/local/cuda"),
        mock.patch.object(cpp, "ROCM_HOME", "/opt/rocm" if amd else None),
        mock.patch.object(cpp, "CUDAExtension", recorder("CUDAExtension", "extension")),
        mock.patch.object(cpp, "load", recorder("load", "extension")),
        mock.patch.object(subprocess, "check_output", tool("check_output")),
        mock.patch.object(subprocess, "check_call", tool("check_call")),
        mock.patch.object(os, "system", recorder("system", 0)),
        mock.patch.object(
            os.path, "exists", lambda p: p == ("/dev/kfd" if amd else "/usr/local/cuda") or p == "/proc"
        ),
        mock.patch.object(shutil, "which", lambda t, *_: None if (amd == ("nv" in t)) else f"/usr/bin/{t}"),
        mock.patch.dict(os.environ),
    ]
    packages: dict[str, Any] = {name: package(name, log) for name in EVERYWHERE}
    for name in NVIDIA_ONLY:
        packages[name] = None if amd else package(name, log)
    for name in AMD_ONLY:
        packages[name] = package(name, log) if amd else None
    for name in list(packages):
        owner, _, last = name.rpartition(".")
        if owner and packages[name] is not None and packages.get(owner) is not None:
            setattr(packages[owner], last, packages[name])

    def training_arguments(*args: Any, tf32: Any = None, report_to: Any = (), **kwargs: Any) -> str:
        log.append(shown("TrainingArguments", args, {**kwargs, "tf32": tf32, "report_to": report_to}))
        if amd and tf32:
            raise ValueError("--tf32 requires Ampere or a newer GPU arch, cuda>=11 and torch>=1.7")
        if amd and "codecarbon" in report_to:
            raise RuntimeError("CodeCarbonCallback requires a CUDA build")
        return "arguments"

    packages["transformers"].TrainingArguments = training_arguments
    packages["triton"].jit = lambda f: f
    world.append(mock.patch.dict(sys.modules, packages))
    with contextlib.ExitStack() as stack:
        for part in world:
            stack.enter_context(part)
        importlib.invalidate_caches()
        yield


def run(text: str, kind: Machine) -> Trace:
    """Execute a text on a machine, then call the functions that it defines with stand-in arguments."""
    trace = Trace()
    names: dict[str, Any] = {"__name__": "example"}
    with machine(kind, trace.calls):
        sys.modules["example"] = module = types.ModuleType("example")
        module.__dict__.update(names)
        try:
            exec(compile(text, "example.py", "exec"), module.__dict__)
        except BaseException as e:
            trace.errors.append(f"{type(e).__name__}: {e}")
        for name, value in list(module.__dict__.items()):
            if name.startswith("__") or getattr(value, "__module__", "") != "example":
                continue
            if inspect.isfunction(value) and not name.startswith("_rocm"):
                _call(trace, name, value)
            elif inspect.isclass(value):
                _build(trace, name, value)
        trace.values = {
            k: plain(v) for k, v in module.__dict__.items() if not k.startswith("_") and _simple(v)
        }
        del sys.modules["example"]
    return trace


def _call(trace: Trace, name: str, function: Any) -> Any:
    arguments = []
    for p in inspect.signature(function).parameters.values():
        if p.default is p.empty:
            number = p.annotation in (int, "int")
            arguments.append(40000 if number else mock.MagicMock(name=p.name))
    log = [a for a in arguments if isinstance(a, mock.MagicMock)]
    try:
        result = function(*arguments)
        trace.results[name] = plain(result)
    except BaseException as e:
        result = None
        trace.errors.append(f"{name}: {type(e).__name__}: {e}")
    for argument in log:
        trace.calls += [plain(c) for c in argument.mock_calls]
    return result


def _build(trace: Trace, name: str, kind: type) -> None:
    try:
        instance = kind()
    except BaseException as e:
        trace.errors.append(f"{name}: {type(e).__name__}: {e}")
        return
    for attr, member in kind.__dict__.items():
        if isinstance(member, property):
            trace.results[f"{name}.{attr}"] = plain(getattr(instance, attr))
        elif inspect.isfunction(member) and not attr.startswith("_"):
            _call(trace, f"{name}.{attr}", getattr(instance, attr))
    for attr, value in vars(instance).items():
        trace.results.setdefault(f"{name}.{attr}", plain(value))


def _simple(value: object) -> bool:
    return not isinstance(value, types.ModuleType) and not callable(value)
