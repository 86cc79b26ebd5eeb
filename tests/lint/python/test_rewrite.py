"""Imports and helpers are added once, in the right place, in the manner of the file."""

from __future__ import annotations

import pytest
from amdlint.lint.engine import fix_text

GATE = "x = tc.get_device_capability() >= (9, 0)"
FIXED = "x = torch.version.hip is None and tc.get_device_capability() >= (9, 0)"
PLACES = {
    "after the imports": (
        f"import os\nimport torch.cuda as tc\n\n{GATE}\n",
        f"import os\nimport torch.cuda as tc\nimport torch\n\n{FIXED}\n",
    ),
    "docstring and future": (
        f'"""Doc."""\n\nfrom __future__ import annotations\n\nimport torch.cuda as tc\n\n{GATE}\n',
        f'"""Doc."""\n\nfrom __future__ import annotations\n\nimport torch.cuda as tc\nimport torch\n\n{FIXED}\n',
    ),
    "already there": (
        f"import torch\nimport torch.cuda as tc\n\n{GATE}\n",
        f"import torch\nimport torch.cuda as tc\n\n{FIXED}\n",
    ),
    "through a submodule": (
        f"import torch.nn\nimport torch.cuda as tc\n\n{GATE}\n",
        f"import torch.nn\nimport torch.cuda as tc\n\n{FIXED}\n",
    ),
    "under another name": (
        f"import torch as th\nimport torch.cuda as tc\n\n{GATE}\n",
        f"import torch as th\nimport torch.cuda as tc\n\n{FIXED.replace('torch.version', 'th.version')}\n",
    ),
    "two gates": (
        f"import torch.cuda as tc\n\n{GATE}\ny{GATE[1:]}\n",
        f"import torch.cuda as tc\nimport torch\n\n{FIXED}\ny{FIXED[1:]}\n",
    ),
    "CRLF": (
        f"import torch.cuda as tc\r\n\r\n{GATE}\r\n",
        f"import torch.cuda as tc\r\nimport torch\r\n\r\n{FIXED}\r\n",
    ),
    "shebang": (
        f"#!/usr/bin/env python\nimport torch.cuda as tc\n\n{GATE}\n",
        f"#!/usr/bin/env python\nimport torch.cuda as tc\nimport torch\n\n{FIXED}\n",
    ),
    "no line end": (f"import torch.cuda as tc\n{GATE}", f"import torch.cuda as tc\nimport torch\n{FIXED}"),
}


@pytest.mark.parametrize(("text", "expected"), PLACES.values(), ids=PLACES)
def test_import_of_torch(text: str, expected: str) -> None:
    assert fix_text("example.py", text) == expected


def test_an_import_that_is_needed_earlier_moves_up() -> None:
    text = "from flash_attn_interface import flash_attn_func\nimport torch\n\ny = torch.ones(1)\n"
    assert fix_text("example.py", text) == (
        "import torch\n"
        "if torch.version.hip is None:\n    from flash_attn_interface import flash_attn_func\n"
        "else:\n    from flash_attn import flash_attn_func\n\n"
        "y = torch.ones(1)\n"
    )


def test_a_name_joins_the_import_of_its_module() -> None:
    text = "import os\nfrom torch.utils.cpp_extension import (\n    CUDA_HOME,\n    load,\n)\n\np = os.path.join(CUDA_HOME, 'include')\n"
    fixed = fix_text("setup.py", text)
    assert fixed.count("ROCM_HOME") == 2
    assert "    CUDA_HOME, ROCM_HOME,\n" in fixed
    assert "os.path.join(CUDA_HOME or ROCM_HOME, 'include')" in fixed


def test_the_helper_comes_once() -> None:
    text = (
        "import torch\n\n\ndef f(x, w, s):\n    return torch._scaled_mm(x.to(torch.float8_e4m3fn), w, s, s)\n\n\n"
        "def g(x, w, s):\n    return torch._scaled_mm(x.to(torch.float8_e5m2), w, s, s)\n"
    )
    fixed = fix_text("example.py", text)
    assert fixed.count("def _rocm_arch") == 1
    assert fixed.startswith("import torch\n\n\ndef _rocm_arch(")
    assert "\n\n\ndef f(x, w, s):\n" in fixed
    assert fix_text("example.py", fixed) == fixed


TABS = "import torch\n\n\ndef f():\n\tmajor = torch.cuda.get_device_capability()[0]\n\tif major >= 9:\n\t\treturn 'tma'\n\treturn 'plain'\n"


def test_tabs_and_quotes_stay() -> None:
    assert fix_text("example.py", TABS) == TABS.replace("if major", "if torch.version.hip is None and major")


def test_an_f_string_is_not_cut_open() -> None:
    text = 'import torch\nprint(f"{torch.cuda.get_device_capability() >= (9, 0)}")\n'
    assert fix_text("example.py", text) == text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("if not CAP >= (8, 9):\n    x = 1", "if not (HIP is None and CAP >= (8, 9)):\n    x = 1"),
        ("x = y or CAP >= (8, 9)", "x = y or (HIP is None and CAP >= (8, 9))"),
        ("x = (CAP >= (8, 9)) == True", "x = (HIP is None and CAP >= (8, 9)) == True"),
        ("x = 1 if CAP >= (8, 9) else 2", "x = 1 if HIP is None and CAP >= (8, 9) else 2"),
        ("f(CAP >= (8, 9), 1)", "f(HIP is None and CAP >= (8, 9), 1)"),
        ("x = [CAP >= (8, 9)]", "x = [(HIP is None and CAP >= (8, 9))]"),
        ("while CAP < (8, 9):\n    pass", "while torch.version.hip is not None or CAP < (8, 9):\n    pass"),
    ],
)
def test_parentheses_where_they_are_needed(before: str, after: str) -> None:
    def text(body: str) -> str:
        body = body.replace("CAP", "torch.cuda.get_device_capability()").replace("HIP", "torch.version.hip")
        return f"import torch\n{body}\n"

    assert fix_text("example.py", text(before)) == text(after)
