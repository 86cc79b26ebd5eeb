"""What the reader understands: values, guards and helpers in the spellings that real code has.

Each case is one file ``pkg/main.py`` (and others of its repository), with the findings that it must have.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest
from amdlint.lint.engine import check, read
from amdlint.lint.repo import Repo
from amdlint.lint.settings import Settings


@dataclass
class Case:
    name: str
    text: str
    findings: list[tuple[str, int]]
    """Code and row of every finding in ``text``."""
    others: dict[str, str] = field(default_factory=dict)
    """Other modules of the repository."""


CASES = [
    Case(
        "match tuple",
        """\
import torch
match torch.cuda.get_device_capability():
    case (8, 0):
        import flash_attn_2_cuda
    case (9, 0):
        import flash_attn_interface
""",
        [("AMD1001", 5), ("AMD6006", 6)],
    ),
    Case(
        "match major",
        """\
import torch
major, minor = torch.cuda.get_device_capability()
match major:
    case 8:
        use = "ampere"
    case 9:
        use = "hopper"
    case _:
        use = "none"
""",
        [("AMD1001", 6)],
    ),
    Case(
        "match guard",
        """\
import torch
match torch.cuda.get_device_capability():
    case (major, _) if major >= 9:
        fa3 = True
    case _:
        fa3 = False
""",
        [("AMD1001", 3)],
    ),
    Case(
        "match vendor",
        """\
import torch
vendor = "amd" if torch.version.hip else "nvidia"
match vendor:
    case "nvidia":
        import flash_attn_interface
    case "amd":
        pass
""",
        [],
    ),
    Case(
        "match hip none",
        """\
import torch
match torch.version.hip:
    case None:
        import flash_attn_interface
    case _:
        pass
""",
        [],
    ),
    Case(
        "match platform str of function",
        """\
import torch
def platform():
    if torch.version.hip is not None:
        return "rocm"
    return "cuda"
match platform():
    case "cuda":
        import flash_attn_interface
    case "rocm":
        pass
""",
        [],
    ),
    Case(
        "match true guard",
        """\
import torch
match True:
    case _ if torch.version.hip:
        pass
    case _:
        import flash_attn_interface
""",
        [],
    ),
    Case(
        "kernel asm loop",
        """\
import torch, triton
def show(k):
    for stage in ("ttir", "ptx", "cubin"):
        print(k.asm[stage])
""",
        [("AMD3009", 4)],
    ),
    Case(
        "kernel asm list const",
        """\
import triton
STAGES = ["ptx"]
def show(kernel):
    for stage in STAGES:
        print(kernel.asm[stage])
""",
        [("AMD3009", 5)],
    ),
    Case(
        "kernel asm items ok",
        """\
import triton
def show(kernel):
    for name, text in kernel.asm.items():
        print(name, text)
""",
        [],
    ),
    Case(
        "kernel asm ok",
        """\
import triton
def show(kernel):
    for stage in ("ttir", "ttgir", "llir"):
        print(kernel.asm[stage])
    for stage in ("ptx", "amdgcn"):
        if stage in kernel.asm:
            print(kernel.asm[stage])
""",
        [],
    ),
    Case(
        "dataloader fork after",
        """\
import torch
from torch.utils.data import DataLoader
model = torch.nn.Linear(2, 2).cuda()
loader = DataLoader(data, num_workers=4, multiprocessing_context="fork")
""",
        [("AMD9002", 4)],
    ),
    Case(
        "dataloader spawn",
        """\
import torch
from torch.utils.data import DataLoader
model = torch.nn.Linear(2, 2).cuda()
loader = DataLoader(data, num_workers=4, multiprocessing_context="spawn")
""",
        [],
    ),
    Case(
        "dataloader fork no gpu",
        """\
import torch
from torch.utils.data import DataLoader
loader = DataLoader(data, num_workers=4, multiprocessing_context="fork")
for x in loader: print(x)
""",
        [],
    ),
    Case(
        "dataloader ctx object",
        """\
import torch, multiprocessing as mp
from torch.utils.data import DataLoader
def main():
    torch.cuda.set_device(0)
    x = torch.zeros(1, device="cuda")
    return DataLoader(data, num_workers=4, multiprocessing_context=mp.get_context("fork"))
""",
        [("AMD9002", 6)],
    ),
    Case(
        "helper cap elsewhere",
        """\
from .util import capability
if capability() >= (9, 0):
    import flash_attn_interface
""",
        [("AMD1001", 2), ("AMD6006", 3)],
        {
            "pkg/util.py": """\
import torch
def capability():
    return torch.cuda.get_device_capability()
""",
        },
    ),
    Case(
        "helper cap elsewhere int",
        """\
from pkg.util import get_sm
USE = get_sm() >= 90
""",
        [("AMD1001", 2)],
        {
            "pkg/util.py": """\
import torch
def get_sm():
    major, minor = torch.cuda.get_device_capability()
    return major * 10 + minor
""",
        },
    ),
    Case(
        "helper is hopper elsewhere",
        """\
from pkg.util import is_hopper
if is_hopper():
    import flash_attn_interface
""",
        [("AMD6006", 3)],
        {
            "pkg/util.py": """\
import torch
def is_hopper():
    return torch.cuda.get_device_capability()[0] == 9
""",
        },
    ),
    Case(
        "is_hopper guarded elsewhere",
        """\
from pkg.util import is_hopper
if is_hopper():
    import flash_attn_interface
""",
        [],
        {
            "pkg/util.py": """\
import torch
def is_hopper():
    return torch.version.hip is None and torch.cuda.get_device_capability()[0] == 9
""",
        },
    ),
    Case(
        "IS_ROCM elsewhere",
        """\
from pkg.util import IS_ROCM
if not IS_ROCM:
    import flash_attn_interface
""",
        [],
        {
            "pkg/util.py": """\
import torch
IS_ROCM = torch.version.hip is not None
""",
        },
    ),
    Case(
        "ON_NV elsewhere odd name",
        """\
from pkg import util
if util.GREEN:
    import flash_attn_interface
""",
        [],
        {
            "pkg/util.py": """\
import torch
GREEN = torch.version.cuda is not None
""",
        },
    ),
    Case(
        "HAS_CUDA elsewhere",
        """\
from pkg.util import HAS_CUDA
if HAS_CUDA:
    import flash_attn_interface
""",
        [],
        {
            "pkg/util.py": """\
import torch
HAS_CUDA = torch.version.cuda is not None
""",
        },
    ),
    Case(
        "re-exported name",
        """\
from pkg import GREEN
if GREEN:
    import flash_attn_interface
""",
        [],
        {
            "pkg/__init__.py": """\
from .util import GREEN
""",
            "pkg/util.py": """\
import torch
GREEN = torch.version.cuda is not None
""",
        },
    ),
    Case(
        "re-exported fn",
        """\
from pkg.facade import green
if green():
    import flash_attn_interface
""",
        [],
        {
            "pkg/facade.py": """\
from pkg.util import green
""",
            "pkg/util.py": """\
import torch
def green():
    return torch.version.cuda is not None
""",
        },
    ),
    Case(
        "current_platform",
        """\
from vllm.platforms import current_platform
if current_platform.is_cuda():
    import flash_attn_interface
""",
        [],
    ),
    Case(
        "decorator skip elsewhere",
        """\
from pkg.util import green_only
@green_only
def test_x():
    import flash_attn_interface
""",
        [],
        {
            "pkg/util.py": """\
import torch, pytest
green_only = pytest.mark.skipif(torch.version.hip is not None, reason="no")
""",
        },
    ),
    Case(
        "decorator fn elsewhere",
        """\
from pkg.util import green_only
@green_only
def test_x():
    import flash_attn_interface
""",
        [],
        {
            "pkg/util.py": """\
import torch, unittest
def green_only(f):
    return unittest.skipIf(torch.version.hip is not None, "no")(f)
""",
        },
    ),
    Case(
        "decorator fn elsewhere factory",
        """\
from pkg.util import needs
@needs(9)
def test_x():
    import flash_attn_interface
""",
        [],
        {
            "pkg/util.py": """\
import torch, unittest
def needs(n):
    return unittest.skipUnless(torch.version.hip is None and torch.cuda.get_device_capability()[0] >= n, "no")
""",
        },
    ),
    Case(
        "getattr cuda",
        """\
import torch
if getattr(torch.version, "cuda", None):
    import flash_attn_interface
""",
        [],
    ),
    Case(
        "getattr cuda split",
        """\
import torch
v = getattr(torch.version, "cuda", None)
major = int(v.split(".")[0])
""",
        [("AMD2001", 3)],
    ),
    Case(
        "getattr cuda default str",
        """\
import torch
v = getattr(torch.version, "cuda", None) or "0.0"
major = int(v.split(".")[0])
""",
        [],
    ),
    Case(
        "walrus cap",
        """\
import torch
if (cc := torch.cuda.get_device_capability()) >= (9, 0):
    print(cc)
    import flash_attn_interface
""",
        [("AMD1001", 2), ("AMD6006", 4)],
    ),
    Case(
        "walrus hip",
        """\
import torch
if (hip := torch.version.hip) is None:
    import flash_attn_interface
if hip:
    x = 1
""",
        [],
    ),
    Case(
        "walrus cuda",
        """\
import torch
if v := torch.version.cuda:
    major = int(v.split(".")[0])
""",
        [],
    ),
    Case(
        "star import",
        """\
from torch.cuda import *
if get_device_capability() >= (9, 0):
    import flash_attn_interface
""",
        [("AMD1001", 2), ("AMD6006", 3)],
    ),
    Case(
        "star import own",
        """\
from .util import *
if GREEN:
    import flash_attn_interface
""",
        [],
        {
            "pkg/util.py": """\
import torch
GREEN = torch.version.cuda is not None
""",
        },
    ),
    Case(
        "class attr",
        """\
import torch
class Config:
    IS_AMD = torch.version.hip is not None
    fa3 = not IS_AMD
    def load(self):
        if not self.IS_AMD:
            import flash_attn_interface
        if self.fa3:
            import flash_attn_interface
""",
        [],
    ),
    Case(
        "class attr cap",
        """\
import torch
class Config:
    sm = torch.cuda.get_device_capability()
    def fa3(self):
        return self.sm >= (9, 0)
""",
        [("AMD1001", 5)],
    ),
    Case(
        "class attr other obj",
        """\
import torch
class Config:
    green = torch.version.hip is None
def f():
    if Config.green:
        import flash_attn_interface
cfg = Config()
if cfg.green:
    import flash_attn_interface
""",
        [],
    ),
    Case(
        "instance attr init",
        """\
import torch
class Runner:
    def __init__(self):
        self.major, self.minor = torch.cuda.get_device_capability()
        self.green = torch.version.hip is None
    def run(self):
        if self.major >= 9:
            return "fa3"
        if self.green:
            import flash_attn_interface
""",
        [("AMD1001", 7)],
    ),
    Case(
        "partial",
        """\
import torch
from functools import partial
cap = partial(torch.cuda.get_device_capability, 0)
if cap() >= (9, 0):
    import flash_attn_interface
""",
        [("AMD1001", 4), ("AMD6006", 5)],
    ),
    Case(
        "lambda",
        """\
import torch
cap = lambda: torch.cuda.get_device_capability()[0]
if cap() >= 9:
    import flash_attn_interface
""",
        [("AMD1001", 3), ("AMD6006", 4)],
    ),
    Case(
        "lambda guard",
        """\
import torch
green = lambda: torch.version.hip is None
if green():
    import flash_attn_interface
""",
        [],
    ),
    Case(
        "comprehension",
        """\
import torch
ok = [i for i in range(torch.cuda.device_count()) if torch.cuda.get_device_capability(i)[0] >= 9]
""",
        [("AMD1001", 2)],
    ),
    Case(
        "comprehension guard",
        """\
import torch
ok = [i for i in range(8) if torch.version.hip is None and torch.cuda.get_device_capability(i)[0] >= 9]
ok = [i for i in range(8) if torch.version.hip is None if torch.cuda.get_device_capability(i)[0] >= 9]
""",
        [],
    ),
    Case(
        "all genexp",
        """\
import torch
def hopper():
    return all(torch.cuda.get_device_capability(i) >= (9, 0) for i in range(torch.cuda.device_count()))
""",
        [("AMD1001", 3)],
    ),
    Case(
        "any rocm",
        """\
import torch
names = [torch.cuda.get_device_name(i) for i in range(8)]
if any("AMD" in n for n in names):
    pass
else:
    import flash_attn_interface
""",
        [],
    ),
    Case(
        "async",
        """\
import torch
async def load():
    if torch.cuda.get_device_capability() >= (9, 0):
        import flash_attn_interface
async def nv():
    if torch.version.hip:
        return
    import flash_attn_interface
""",
        [("AMD1001", 3), ("AMD6006", 4)],
    ),
    Case(
        "type checking",
        """\
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    import flash_attn_interface
    import pynvml
""",
        [],
    ),
    Case(
        "type checking t",
        """\
import typing as t
if t.TYPE_CHECKING:
    import flash_attn_interface
""",
        [],
    ),
    Case(
        "try",
        """\
try:
    import flash_attn_interface
except ImportError:
    flash_attn_interface = None
try:
    from flash_attn_interface import flash_attn_func
except (ImportError, ModuleNotFoundError) as e:
    raise ImportError("install fa3") from e
""",
        [("AMD6006", 6)],
    ),
    Case(
        "try else",
        """\
try:
    import flash_attn_interface
    HAS = True
except ImportError:
    HAS = False
def f():
    if HAS:
        from flash_attn_interface import flash_attn_func
""",
        [],
    ),
    Case(
        "sys.modules",
        """\
import sys
if "flash_attn_interface" in sys.modules:
    import flash_attn_interface
""",
        [],
    ),
    Case(
        "sys.modules stub",
        """\
import sys, types
sys.modules["flash_attn_interface"] = types.ModuleType("flash_attn_interface")
import flash_attn_interface
""",
        [],
    ),
    Case(
        "sys.modules stub setdefault",
        """\
import sys, types
sys.modules.setdefault("flash_attn_interface", types.ModuleType("flash_attn_interface"))
import flash_attn_interface
""",
        [],
    ),
    Case(
        "monkeypatch stub",
        """\
import sys, types
def test_x(monkeypatch):
    monkeypatch.setitem(sys.modules, "flash_attn_interface", types.ModuleType("f"))
    import flash_attn_interface
def test_y():
    from unittest import mock
    with mock.patch.dict("sys.modules", {"flash_attn_interface": mock.MagicMock()}):
        import flash_attn_interface
""",
        [],
    ),
    Case(
        "conditional import",
        """\
import torch
fa = __import__("flash_attn_interface") if torch.version.hip is None else None
""",
        [],
    ),
    Case(
        "import_module",
        """\
import importlib, torch
m = importlib.import_module("pynvml")
m.nvmlInit()
""",
        [],
    ),
    Case(
        "find_spec",
        """\
import importlib.util
if importlib.util.find_spec("flash_attn_interface") is not None:
    import flash_attn_interface
HAS = importlib.util.find_spec("flash_attn_interface")
if HAS:
    import flash_attn_interface
""",
        [],
    ),
    Case(
        "early return tuple",
        """\
import torch
def f():
    if not torch.cuda.is_available() or torch.version.hip:
        return None
    return torch.cuda.get_device_capability() >= (9, 0)
""",
        [],
    ),
    Case(
        "nested fn",
        """\
import torch
def f():
    is_hip = torch.version.hip is not None
    def g():
        return not is_hip and torch.cuda.get_device_capability() >= (9, 0)
    return g()
""",
        [],
    ),
    Case(
        "env override",
        """\
import os, torch
ROCM = os.environ.get("USE_ROCM", "0") == "1" or torch.version.hip
if not ROCM:
    import flash_attn_interface
""",
        [],
    ),
    Case(
        "str hip in version",
        """\
import torch
if "rocm" not in torch.__version__:
    import flash_attn_interface
if not torch.__version__.endswith("rocm6.2"):
    pass
""",
        [],
    ),
    Case(
        "enum",
        """\
import enum, torch
class P(enum.Enum):
    CUDA = "cuda"
    ROCM = "rocm"
def which():
    return P.ROCM if torch.version.hip else P.CUDA
if which() == P.CUDA:
    import flash_attn_interface
if which() is P.CUDA:
    import flash_attn_interface
""",
        [],
    ),
    Case(
        "cap dict lookup",
        """\
import torch
FLAGS = {(8, 0): "a100", (9, 0): "h100"}
kind = FLAGS.get(torch.cuda.get_device_capability(), "unknown")
""",
        [],
    ),
    Case(
        "cap in set",
        """\
import torch
if torch.cuda.get_device_capability() in {(8, 0), (9, 0)}:
    fast = True
if torch.cuda.get_device_capability() in [(8, 0), (8, 6)]:
    fast = True
""",
        [("AMD1001", 2)],
    ),
    Case(
        "cap str join",
        """\
import torch
arch = ".".join(map(str, torch.cuda.get_device_capability()))
if float(arch) >= 9.0:
    fa3 = True
""",
        [("AMD1001", 3)],
    ),
    Case(
        "cap fstring int",
        """\
import torch
major, minor = torch.cuda.get_device_capability()
if int(f"{major}{minor}") >= 90:
    fa3 = True
""",
        [("AMD1001", 3)],
    ),
    Case(
        "property cap",
        """\
import torch
class D:
    @property
    def sm(self):
        p = torch.cuda.get_device_properties(0)
        return p.major * 10 + p.minor
    @property
    def fp8(self):
        return self.sm >= 89
""",
        [("AMD1001", 9)],
    ),
    Case(
        "lru_cache helper",
        """\
import functools, torch
@functools.lru_cache
def cap(i=0):
    return torch.cuda.get_device_capability(i)
def f(i):
    return cap(i)[0] >= 9
""",
        [("AMD1001", 6)],
    ),
    Case(
        "global rebinding",
        """\
import torch
FA3 = False
if torch.version.hip is None:
    FA3 = torch.cuda.get_device_capability()[0] >= 9
if FA3:
    import flash_attn_interface
""",
        [],
    ),
    Case(
        "flag set only nvidia",
        """\
import torch
use = False
if not torch.version.hip:
    use = True
if use:
    import flash_attn_interface
""",
        [],
    ),
    Case(
        "flag cleared on hip",
        """\
import torch
use = True
if torch.version.hip:
    use = False
if use:
    import flash_attn_interface
""",
        [],
    ),
    Case(
        "flash gate ampere",
        """\
import torch
SUPPORTS_FLASH_ATTENTION = torch.cuda.is_available() and torch.cuda.get_device_capability() >= (8, 0)
""",
        [("AMD1001", 2)],
    ),
    Case(
        "skip mark default",
        """\
import torch, pytest
cc = (0, 0)
if torch.cuda.is_available():
    cc = torch.cuda.get_device_capability("cuda")
sm80 = pytest.mark.skipif(cc < (8, 0), reason="sm80")
sm90 = pytest.mark.skipif(cc < (9, 0), reason="sm90")
""",
        [("AMD1001", 5), ("AMD1001", 6)],
    ),
    Case(
        "arch list in test",
        """\
import os
from unittest.mock import patch
def test_restores():
    def fail():
        os.environ["TORCH_CUDA_ARCH_LIST"] = "8.9+PTX"
    with patch.dict(os.environ, {}, clear=False):
        build(fail)
""",
        [],
    ),
    Case(
        "arch list",
        """\
import os
os.environ["TORCH_CUDA_ARCH_LIST"] = "8.9+PTX"
""",
        [("AMD2009", 2)],
    ),
    Case(
        "stub call in test",
        """\
import sys
def test_stub():
    install_xformers_stub()
    import xformers.ops
    assert sys.modules["xformers"]
""",
        [],
    ),
    Case(
        "second choice",
        """\
try:
    from megatron.core.microbatches import get_num
except ImportError:
    from apex.transformer.utils import get_num
""",
        [],
    ),
    Case(
        "second choice of the same",
        """\
try:
    import pycuda.autoprimaryctx
except ModuleNotFoundError:
    import pycuda.autoinit
""",
        [("AMD6018", 4)],
    ),
    Case(
        "else of not have",
        """\
HAVE_TE = find()
def f():
    if not HAVE_TE:
        print("no")
    else:
        import transformer_engine
""",
        [],
    ),
    Case(
        "file imported on nvidia only",
        """\
import flash_attn_interface
""",
        [],
        {
            "pkg/init/.py": """\
""",
            "pkg/use.py": """\
import torch
if torch.version.hip is None:
    from .main import x
def f():
    if not torch.version.hip:
        import pkg.main
""",
            "tests/test_main.py": """\
from pkg.main import x
""",
        },
    ),
    Case(
        "file imported everywhere",
        """\
import flash_attn_interface
""",
        [("AMD6006", 1)],
        {
            "pkg/use.py": """\
import torch
if torch.version.hip is None:
    from .main import x
""",
            "pkg/other.py": """\
from pkg import main
""",
        },
    ),
    Case(
        "file imported by system name",
        """\
import flash_attn_interface
""",
        [],
        {
            "pkg/use.py": """\
from pkg.util import SYSTEM
if SYSTEM == "cuda":
    from .main import x
elif SYSTEM == "rocm":
    pass
""",
            "pkg/util.py": """\
import torch
SYSTEM = None
if torch.version.hip is not None:
    SYSTEM = "rocm"
elif torch.version.cuda is not None and torch.cuda.is_available():
    SYSTEM = "cuda"
else:
    SYSTEM = "cpu"
""",
        },
    ),
    Case(
        "fp8 sent only",
        """\
import torch
import torch.distributed as dist
def gather(x):
    kind = torch.float8_e4m3fn
    y = x.to(kind).view(torch.uint8)
    dist.all_gather(y, y)
def mm(a, b):
    kind = torch.float8_e4m3fn
    return torch._scaled_mm(a.to(kind), b.to(kind))
""",
        [("AMD5001", 8)],
    ),
    Case(
        "own is_cuda beside is_rocm",
        """\
import torch
class Platform:
    def is_cuda(self):
        return self._enum == "cuda"
    def is_rocm(self):
        return self._enum == "rocm"
    def is_hopper(self):
        if not self.is_cuda():
            return False
        return torch.cuda.get_device_capability() == (9, 0)
""",
        [],
    ),
    Case(
        "limits of both vendors",
        """\
import torch
is_hip = torch.version.hip is not None
is_cuda = torch.cuda.is_available() and not is_hip
def fused():
    if (not is_cuda or torch.cuda.get_device_capability() < (8, 0)) and (
        not is_hip or torch.cuda.get_device_capability() < (9, 4)
    ):
        return False
    return True
""",
        [],
    ),
    Case(
        "range refused",
        """\
import torch
def fa3():
    major, _ = torch.cuda.get_device_capability()
    if major < 9 or major >= 10:
        return False
    return True
""",
        [("AMD1001", 4)],
    ),
    Case(
        "flags that only nvcc gets",
        """\
import torch
from torch.utils.cpp_extension import CUDAExtension
def extensions():
    use_cuda = torch.version.cuda is not None
    nvcc_args = ["-O3", "-t=0"]
    rocm_args = ["-O3"]
    args = {"nvcc": nvcc_args if use_cuda else rocm_args}
    if use_cuda:
        nvcc_args.append("-lineinfo")
    return [CUDAExtension("x", ["x.cu"], extra_compile_args=args)]
""",
        [],
    ),
    Case(
        "arch list given back",
        """\
import os
def build(override):
    old = os.environ.pop("TORCH_CUDA_ARCH_LIST", None)
    try:
        return compile_it()
    finally:
        os.environ["TORCH_CUDA_ARCH_LIST"] = override
""",
        [],
    ),
    Case(
        "test of another's settings",
        """\
import os
from unittest import mock
def test_cleared():
    env = {"VLLM_ATTENTION_BACKEND": "FLASHINFER", "PYTORCH_ALLOC_CONF": "expandable_segments:True"}
    with mock.patch.dict(os.environ, env, clear=False):
        assert cleared()
""",
        [],
    ),
    Case(
        "old card falls back to float16",
        """\
import torch
def dtype():
    if torch.cuda.get_device_capability()[0] < 8:
        kind = torch.float16
        log("below sm80: no bfloat16 support, use float16")
        return kind
    return torch.bfloat16
""",
        [("AMD1001", 3)],
    ),
    Case(
        "warp size unknown",
        """\
import torch
def configs(props):
    warp_size = getattr(props, "warp_size", None)
    if warp_size is None:
        warp_size = 32
    return warp_size
""",
        [],
    ),
    Case(
        "class for nvidia",
        """\
import subprocess
from pkg.util import is_cuda, is_hip
class GPUEnv:
    def topology(self):
        return subprocess.run(["nvidia-smi", "topo", "-m"])
class HIPEnv:
    def topology(self):
        return subprocess.run(["rocm-smi", "--showtopo"])
if is_cuda():
    env = GPUEnv()
elif is_hip():
    env = HIPEnv()
""",
        [],
        {
            "pkg/util.py": """\
import torch
def is_hip():
    return torch.version.hip is not None
def is_cuda():
    return torch.cuda.is_available() and not is_hip()
""",
        },
    ),
    Case(
        "back end of a package, on demand",
        """\
class FlashInferBackend:
    def run(self):
        import flashinfer
""",
        [],
        {
            "pkg/util.py": """\
import torch
def is_hip():
    return torch.version.hip is not None
""",
        },
    ),
    Case(
        "back end of a package, repository for NVIDIA",
        """\
class FlashInferBackend:
    def run(self):
        import flashinfer
""",
        [("AMD6014", 3)],
    ),
    Case(
        "asked before",
        """\
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
def f(q, params):
    if torch.backends.cuda.can_use_efficient_attention(params):
        with sdpa_kernel(SDPBackend.EFFICIENT_ATTENTION):
            return torch.nn.functional.scaled_dot_product_attention(q, q, q)
""",
        [],
    ),
    Case(
        "lazy registration",
        """\
from dispatch import sizeof

@sizeof.register_lazy("cupy")
def register_cupy():
    import cupy

    sizeof.register(cupy.ndarray, len)
def diagonal(a):
    if is_cupy_type(a):
        import cupy
        return cupy
""",
        [],
    ),
    Case(
        "name of NVIDIA's resource",
        """\
NVIDIA_GPU = "nvidia.com/gpu"
class Gpu(Resource, resource_id="nvidia.com/gpu"):
    pass
""",
        [],
    ),
    Case(
        "resource that is asked for",
        """\
limits = {"nvidia.com/gpu": 1}
""",
        [("AMD7002", 1)],
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_reading(case: Case) -> None:
    root = Path("repo")
    texts = {root / "pkg/__init__.py": b"", root / "pkg/main.py": case.text.encode()}
    texts |= {root / name: text.encode() for name, text in case.others.items()}
    source = read(root / "pkg/main.py", case.text.encode())
    report = check(source, Repo(root, list(texts), texts), Settings())
    assert report.error is None
    assert not report.faults
    assert sorted((f.code, source.position(f.start)[0]) for f in report.findings) == case.findings
