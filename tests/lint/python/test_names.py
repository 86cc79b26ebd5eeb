"""One call, found under every name that it can have."""

from __future__ import annotations

import pytest
from amdlint.lint.engine import check_text

FORMS = {
    "plain": "import torch\nx = torch.cuda.get_device_capability() >= (9, 0)",
    "module alias": "import torch as th\nx = th.cuda.get_device_capability() >= (9, 0)",
    "submodule alias": "import torch.cuda as tc\nx = tc.get_device_capability() >= (9, 0)",
    "from torch": "from torch import cuda\nx = cuda.get_device_capability() >= (9, 0)",
    "from torch as": "from torch import cuda as c\nx = c.get_device_capability() >= (9, 0)",
    "function": "from torch.cuda import get_device_capability\nx = get_device_capability() >= (9, 0)",
    "function alias": "from torch.cuda import get_device_capability as cap\nx = cap() >= (9, 0)",
    "star": "from torch.cuda import *\nx = get_device_capability() >= (9, 0)",
    "variable": "import torch\ncap = torch.cuda.get_device_capability\nx = cap() >= (9, 0)",
    "module in variable": "import torch\nc = torch.cuda\nx = c.get_device_capability() >= (9, 0)",
    "getattr": 'import torch\nx = getattr(torch.cuda, "get_device_capability")() >= (9, 0)',
    "late import": "def f():\n    import torch\n    return torch.cuda.get_device_capability() >= (9, 0)",
    "conditional import": "try:\n    import torch\nexcept ImportError:\n    torch = None\nx = torch.cuda.get_device_capability() >= (9, 0)",
    "import_module": 'import importlib\nt = importlib.import_module("torch")\nx = t.cuda.get_device_capability() >= (9, 0)',
    "self": "import torch\n\n\nclass A:\n    def __init__(self):\n        self.cap = torch.cuda.get_device_capability()\n\n    def ok(self):\n        return self.cap >= (9, 0)",
    "tuple": "import torch\nmajor, minor = torch.cuda.get_device_capability()\nx = major >= 9",
    "sum": "import torch\nmajor, minor = torch.cuda.get_device_capability()\nx = 10 * major + minor >= 90",
    "float": 'import torch\nmajor, minor = torch.cuda.get_device_capability()\nx = float(f"{major}.{minor}") >= 9.0',
    "index": "import torch\ncc = torch.cuda.get_device_capability()\nx = cc[0] >= 9",
    "properties": "import torch\np = torch.cuda.get_device_properties(0)\nx = p.major >= 9",
    "reversed": "import torch\nx = (9, 0) <= torch.cuda.get_device_capability()",
    "walrus": "import torch\nif (cap := torch.cuda.get_device_capability()) and cap >= (9, 0):\n    x = 1",
    "helper": "import torch\n\n\ndef cc():\n    return torch.cuda.get_device_capability()[0]\n\n\nx = cc() >= 9",
    "equal": "import torch\nx = torch.cuda.get_device_capability() == (9, 0)",
    "in": "import torch\nx = torch.cuda.get_device_capability() in [(9, 0), (10, 0)]",
}


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_found_under_every_name(text: str) -> None:
    found = check_text("example.py", text + "\n")
    assert [f.code for f in found] == ["AMD1001"]


OTHERS = {
    "own function": "def get_device_capability():\n    return 9\n\n\nx = get_device_capability() >= 9",
    "other module": "from mylab import cuda\nx = cuda.get_device_capability() >= (9, 0)",
    "parameter": "def f(torch):\n    return torch.cuda.get_device_capability() >= (9, 0)",
    "shadowed": "import torch\n\n\ndef f():\n    get_device_capability = max\n    return get_device_capability(1, 2) >= 9",
    "two capabilities": "import torch\nx = torch.cuda.get_device_capability(0) == torch.cuda.get_device_capability(1)",
    "A100 alone": "import torch\nx = torch.cuda.get_device_capability() == (8, 0)",
    "printed": "import torch\nprint(torch.cuda.get_device_capability())",
    "warned": "import torch\nif torch.cuda.get_device_capability() < (8, 0):\n    print('slow')",
}


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_look_alikes(text: str) -> None:
    assert check_text("example.py", text + "\n") == []
