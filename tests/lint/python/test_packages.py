"""Imports of NVIDIA packages: what the repository holds itself, and one finding for one problem."""

from __future__ import annotations

from pathlib import Path

import pytest
from amdlint.lint import engine
from amdlint.lint.repo import Repo
from amdlint.lint.settings import Settings


def lines(path: str, files: dict[str, str]) -> list[tuple[str, int, int]]:
    """(code, first row, last row) of the findings of one file of a repository."""
    texts = {Path(name): text.encode() for name, text in files.items()}
    repo = Repo(Path("."), list(texts), texts)
    source = engine.read(Path(path), texts[Path(path)])
    found = engine.check(source, repo, Settings()).findings
    return [(f.code, source.position(f.start)[0], source.position(f.end - 1)[0]) for f in found]


@pytest.mark.parametrize(
    ("module", "user"),
    [
        ("xformers/__init__.py", "tests/test_ops.py"),
        ("src/xformers/__init__.py", "benchmarks/bench.py"),
        ("tests/xformers.py", "tests/test_ops.py"),
    ],
)
def test_a_package_of_the_repository_is_not_the_one_from_pypi(module: str, user: str) -> None:
    code = "from xformers import ops\n\nprint(ops)\n"
    assert lines(user, {module: "", user: code}) == []


@pytest.mark.parametrize("module", ["other/xformers.py", "lib/ops/__init__.py", "pkg/xformers/__init__.py"])
def test_a_module_that_the_import_does_not_find_is_no_excuse(module: str) -> None:
    files = {module: "", "pkg/__init__.py": "", "pkg/use.py": "from xformers import ops\n\nprint(ops)\n"}
    assert lines("pkg/use.py", files) == [("AMD6011", 1, 1)]


def test_a_folder_with_a_build_script_is_flat() -> None:
    files = {"hopper/setup.py": "", "hopper/__init__.py": "", "hopper/flash_attn_interface.py": ""}
    code = "from flash_attn_interface import flash_attn_func\n\nprint(flash_attn_func)\n"
    assert lines("hopper/test_attn.py", {**files, "hopper/test_attn.py": code}) == []
    shim = "hopper/flash_attn_3/flash_attn_interface.py"
    assert lines(shim, {**files, shim: code}) == []


def test_one_finding_covers_the_imports_of_a_package() -> None:
    code = """\
import torch
import transformer_engine.pytorch as te
from transformer_engine.common import recipe

LAYER = te.Linear


def late():
    from transformer_engine.pytorch import fp8_autocast

    return fp8_autocast, recipe
"""
    assert lines("model.py", {"model.py": code}) == [("AMD6013", 2, 3)]


def test_each_package_has_its_finding() -> None:
    code = "def f():\n    import deep_ep\n    import deep_gemm\n    return deep_ep, deep_gemm\n"
    assert lines("model.py", {"model.py": code}) == [("AMD6015", 2, 2), ("AMD6015", 3, 3)]
