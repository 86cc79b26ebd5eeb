"""What counts as "does not run on ROCm", and what does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from amdlint.lint.engine import check, check_text
from amdlint.lint.finding import Finding
from amdlint.lint.repo import Repo
from amdlint.lint.settings import Settings
from amdlint.lint.source import Source

GATE = "torch.cuda.get_device_capability() >= (9, 0)"

SILENT = {
    "and": f"x = torch.version.hip is None and {GATE}",
    "and, later": f"x = {GATE} and not torch.version.hip",
    "or": f"x = torch.version.hip or {GATE}",
    "ternary": f"x = False if torch.version.hip else {GATE}",
    "cuda truth": f"x = torch.version.cuda and {GATE}",
    "cuda not None": f"if torch.version.cuda is not None:\n    x = {GATE}",
    "else": f"if torch.version.hip:\n    x = 1\nelse:\n    x = {GATE}",
    "elif": f"if torch.version.hip is not None:\n    x = 1\nelif {GATE}:\n    x = 2",
    "getattr": f'HIP = getattr(torch.version, "hip", None)\nif not HIP:\n    x = {GATE}',
    "constant": f"IS_ROCM = torch.version.hip is not None\nif not IS_ROCM:\n    x = {GATE}",
    "bool": f"ON_CUDA = bool(torch.version.cuda)\nx = ON_CUDA and {GATE}",
    "hasattr": f'if hasattr(torch.version, "hip") and torch.version.hip is not None:\n    x = 0\nelse:\n    x = {GATE}',
    "early return": f"def f():\n    if torch.version.hip:\n        return False\n    return {GATE}",
    "early raise": f'def f():\n    if torch.version.hip:\n        raise RuntimeError("no ROCm")\n    return {GATE}',
    "continue": f"for _ in range(2):\n    if torch.version.hip:\n        continue\n    x = {GATE}",
    "exit": f'import sys\nif torch.version.hip is not None:\n    sys.exit("NVIDIA only")\nx = {GATE}',
    "assert": f"assert torch.version.hip is None\nx = {GATE}",
    "helper": f"def is_hip():\n    return torch.version.hip is not None\n\n\nx = not is_hip() and {GATE}",
    "helper by body": f"def vendor_ok():\n    if torch.version.hip:\n        return False\n    return True\n\n\nx = vendor_ok() and {GATE}",
    "helper by name": f"from somewhere import is_rocm\nx = {GATE} if not is_rocm() else False",
    "platform": f"from vllm.platforms import current_platform\nif not current_platform.is_rocm():\n    x = {GATE}",
    "platform cuda": f"from vllm.platforms import current_platform\nif current_platform.is_cuda():\n    x = {GATE}",
    "elif hip": f'FORCE = os.getenv("FORCE_CUDA")\nif torch.version.cuda or FORCE:\n    x = {GATE}\nelif torch.version.hip:\n    x = 1',
    "elif hip and more": f'import os\nif torch.version.cuda or os.getenv("FORCE_CUDA"):\n    x = {GATE}\nelif torch.version.hip and os.getenv("CK"):\n    x = 1',
    "enumeration": 'import enum\n\n\nclass V(enum.Enum):\n    NVIDIA = "nvidia"\n    AMD = "amd"\n\n\n'
    f"KIND = V.AMD if torch.version.hip else V.NVIDIA\nx = KIND is not V.AMD and {GATE}",
    "no torch.hip": f'x = hasattr(torch, "hip") and {GATE}',
    "gfx in the arch list": f'x = not any(a.startswith("gfx") for a in torch.cuda.get_arch_list()) and {GATE}',
    "for AMD alone": f"IS_ROCM = torch.version.hip is not None\nx = IS_ROCM and {GATE}",
    "for AMD alone, branch": f"if torch.version.hip:\n    x = {GATE}",
    "for AMD alone, rest": f"def f():\n    if torch.version.hip is None:\n        return False\n    return {GATE}",
    "property": f"class A:\n    rocm = torch.version.hip is not None\n\n    def f(self):\n        return not self.rocm and {GATE}",
    "self": f"class A:\n    def __init__(self):\n        self.hip = torch.version.hip\n\n    def f(self):\n        if self.hip is None:\n            return {GATE}",
    "match": f"match torch.version.hip:\n    case None:\n        x = {GATE}\n    case _:\n        x = 0",
    "comprehension": f"x = [{GATE} for _ in range(2) if torch.version.hip is None]",
    "skipif": f"import pytest\n\n\n@pytest.mark.skipif(torch.version.hip is not None, reason='')\ndef test_f():\n    assert {GATE} == 1",
    "named skip": f"from testing import skipIfRocm\n\n\n@skipIfRocm\ndef test_f():\n    x = {GATE}\n    return x",
    "pytestmark": f"import pytest\n\npytestmark = pytest.mark.skipif(torch.version.hip is not None, reason='')\n\n\ndef test_f():\n    x = {GATE}\n    return x",
    "called under guard": f"def _sm90():\n    return {GATE}\n\n\nx = torch.version.hip is None and _sm90()",
    "version text": f'ROCM = "rocm" in torch.__version__\nx = not ROCM and {GATE}',
    "cu tag": f'x = "+cu" in torch.__version__ and {GATE}',
    "device name": f'x = "NVIDIA" in torch.cuda.get_device_name() and {GATE}',
    "triton target": f'import triton\nt = triton.runtime.driver.active.get_current_target()\nif t.backend == "cuda":\n    x = {GATE}',
    "try else": f"try:\n    import amdsmi\n    IS_AMD = True\nexcept ImportError:\n    IS_AMD = False\nx = not IS_AMD and {GATE}",
    "type checking": f"from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    x = {GATE}",
    "own function": "def get_device_capability():\n    return (8, 0)\n\n\nx = get_device_capability() >= (8, 0)",
    "comment": f"# x = {GATE}",
    "text": f'x = "{GATE}"',
}
LOUD = {
    "bare": f"x = {GATE}",
    "available": f"x = torch.cuda.is_available() and {GATE}",
    "late return": f"def f():\n    x = {GATE}\n    if torch.version.hip:\n        return 0\n    return x",
    "refusal is no guard": f'if torch.version.cuda is None:\n    raise RuntimeError("no GPU build")\nx = {GATE}',
    "public function, one call is bare": f"def sm90():\n    return {GATE}\n\n\nx = torch.version.hip is None and sm90()\ny = sm90()",
    "unknown flag": f"def f(flag):\n    if flag:\n        return {GATE}",
}


def codes(text: str) -> list[str]:
    found: list[Finding] = check_text("example.py", f"import torch\n\n{text}\n")
    return [f.code for f in found if f.code == "AMD1001"]


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT)
def test_guarded(text: str) -> None:
    assert codes(text) == []


@pytest.mark.parametrize("text", LOUD.values(), ids=LOUD)
def test_not_guarded(text: str) -> None:
    assert len(codes(text)) == 1


CAUGHT = {
    "after another package": "try:\n    import amdsmi\nexcept ImportError:\n    import pynvml",
    "import error": "try:\n    import pynvml\nexcept ImportError:\n    pynvml = None",
    "tuple": "try:\n    import pynvml\nexcept (ValueError, ModuleNotFoundError):\n    pynvml = None",
    "bare": "try:\n    import pynvml\nexcept:\n    pynvml = None",
    "suppress": "import contextlib\nwith contextlib.suppress(ImportError):\n    import pynvml",
    "find_spec": 'from importlib.util import find_spec\nif find_spec("pynvml"):\n    import pynvml',
    "available": "from utils import is_pynvml_available\nif is_pynvml_available():\n    import pynvml",
    "caller tries": "def _load():\n    import pynvml\n    return pynvml\n\n\ntry:\n    nv = _load()\nexcept Exception:\n    nv = None",
}
UNCAUGHT = {
    "plain": "import pynvml",
    "wrong side": "import torch\n\nif torch.version.hip:\n    import pynvml",
    "other error": "try:\n    import pynvml\nexcept ValueError:\n    pynvml = None",
    "only refuses": 'try:\n    import pynvml\nexcept ImportError:\n    raise ImportError("pip install pynvml")',
    "in the handler of its own": "try:\n    import pynvml.smi\nexcept ImportError:\n    import pynvml",
    "in the handler of another NVIDIA package": "try:\n    import tensorrt\nexcept ImportError:\n    import pynvml",
}


@pytest.mark.parametrize("text", CAUGHT.values(), ids=CAUGHT)
def test_caught(text: str) -> None:
    assert check_text("example.py", text + "\n") == []


@pytest.mark.parametrize("text", UNCAUGHT.values(), ids=UNCAUGHT)
def test_uncaught(text: str) -> None:
    assert [f.code for f in check_text("example.py", text + "\n")] == ["AMD6001"]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("from .utils import odd_vendor", 0),
        ("from pkg.utils import odd_vendor", 0),
        ("from .utils import AMD_BUILD as odd_vendor", 0),
        ("from .other import odd_vendor", 1),
    ],
)
def test_helpers_of_other_files(line: str, found: int) -> None:
    root = Path("repo")
    texts = {
        root / "pkg/__init__.py": b"",
        root
        / "pkg/utils.py": b"import torch\n\nAMD_BUILD = torch.version.hip is not None\n\n\ndef odd_vendor():\n    return bool(torch.version.hip)\n",
        root
        / "pkg/main.py": f"import torch\n{line}\n\nif not odd_vendor{'' if ' as ' in line else '()'}:\n    x = {GATE}\n".encode(),
    }
    repo = Repo(root, list(texts), texts)
    path = root / "pkg/main.py"
    report = check(Source(path, texts[path], python=True), repo, Settings())
    assert [f.code for f in report.findings] == ["AMD1001"] * found
