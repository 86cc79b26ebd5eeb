"""Requirements are found wherever a project writes them."""

from __future__ import annotations

from pathlib import Path

import pytest
from amdlint.lint.project.file import ProjectFile
from amdlint.lint.repo import Repo
from amdlint.lint.settings import Settings
from amdlint.lint.source import Source


def project_file(path: str, text: str) -> ProjectFile:
    source = Source(path, text.encode())
    return ProjectFile(source, Repo(Path("."), [Path(path)], {Path(path): source.data}), Settings())


def asked(path: str, text: str) -> list[tuple[str, str]]:
    return [(r.name, r.spec) for r in project_file(path, text).requirements]


def test_requirements_file() -> None:
    text = (
        "# a\n-r base.txt\n--index-url https://x\nTorch_Vision[a,b] >= 0.1 , <2 # c\nx==1.0 --hash=sha256:aa\n"
        'flash-attn @ https://h/flash_attn-2.6.3+cu123-cp310-cp310-linux_x86_64.whl\ny ; sys_platform == "win32"\n./local\n'
    )
    file = project_file("requirements.txt", text)
    assert [(r.name, r.spec) for r in file.requirements] == [
        ("torch-vision", ">= 0.1 , <2"),
        ("x", "==1.0"),
        ("flash-attn", ""),
        ("y", ""),
    ]
    assert [r.guarded for r in file.requirements] == [False, False, False, True]
    assert file.requirements[0].extras == ("a", "b")


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("pip install torch==2.4 'x>=1'", ["torch", "x"]),
        ("pip3 install -U --index-url https://i -r r.txt torch", ["torch"]),
        ("python -m pip install a", ["a"]),
        ("uv pip install --torch-backend auto a", ["a"]),
        ("uv add a b", ["a", "b"]),
        ("$PIP install a", ["a"]),
        ("conda install -y -c nvidia cudatoolkit=11.8", ["cudatoolkit"]),
        ("pip uninstall -y a", []),
        ("pip install -e .[dev]", []),
        ("echo pip install a", []),
        ("pip install git+https://github.com/NVIDIA/apex.git@main", ["apex"]),
    ],
)
def test_install_commands(command: str, names: list[str]) -> None:
    assert [n for n, _ in asked("run.sh", command + "\n")] == names
    assert [n for n, _ in asked("Dockerfile", f"FROM a\nRUN {command}\n")] == names
    workflow = f"on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: |\n          {command}\n"
    assert [n for n, _ in asked(".github/workflows/a.yml", workflow)] == names


def test_poetry_pipfile_setup_cfg_conda() -> None:
    assert asked("pyproject.toml", '[tool.poetry.dependencies]\npython = "^3.10"\nvllm = "^0.8"\n') == [
        ("vllm", "^0.8")
    ]
    assert asked("Pipfile", '[packages]\nvllm = "*"\n') == [("vllm", "*")]
    assert asked("setup.cfg", "[options]\ninstall_requires =\n    vllm>=0.8\n    x\nother = y\n") == [
        ("vllm", ">=0.8"),
        ("x", ""),
    ]
    text = "dependencies:\n  - conda-forge::faiss-gpu=1.7\n  - pip:\n    - vllm\n"
    assert asked("environment.yml", text) == [("faiss-gpu", "=1.7"), ("vllm", "")]


@pytest.mark.parametrize(
    ("spec", "versions", "allowed"),
    [("==0.43.1", ("0.49.0",), False), (">=0.43", ("0.49.0",), True), ("", ("1",), True), ("<0.46", ("0.49.0",), False), ("=0.43", ("0.43.2",), True), ("^0.4", ("0.49",), True), ("garbage!", ("1",), True)],
)  # fmt: skip
def test_ranges(spec: str, versions: tuple[str, ...], allowed: bool) -> None:
    file = project_file("requirements.txt", "x\n")
    from dataclasses import replace

    assert replace(file.requirements[0], spec=spec).allows(versions) is allowed
