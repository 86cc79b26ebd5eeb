"""Notebooks: cells are read as Python, findings name the cell, fixes change nothing else of the file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from amdlint.lint.engine import fix_text

GATE = [
    "import torch\n",
    "\n",
    "if torch.cuda.get_device_capability()[0] >= 9:\n",
    "    import hopper_kernels",
]


def notebook(*sources: object, **layout: object) -> str:
    cells = [
        {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}
        for source in sources
    ]
    cells.insert(
        0, {"cell_type": "markdown", "metadata": {}, "source": ["# get_device_capability() >= (9, 0)"]}
    )
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, **layout)  # type: ignore[arg-type]


def test_finding_names_cell_and_row(amdlint, tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text(notebook(["print('显卡')"], GATE))
    (found,) = json.loads(amdlint("--output-format", "json", "a.ipynb").stdout)
    assert (found["code"], found["cell"], found["location"]) == ("AMD1001", 3, {"row": 3, "column": 4})
    text = amdlint("a.ipynb").stdout
    assert text.startswith("a.ipynb:cell 3:3:4 AMD1001")
    assert "    3 | if torch.cuda.get_device_capability()[0] >= 9:" in text


def test_magics_do_not_hide_the_rest_of_a_cell(amdlint, tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text(
        notebook(["%pip install x\n", "!nvcc --version\n", *GATE], ["%%bash\n", "if [ x\n"])
    )
    found = json.loads(amdlint("--output-format", "json", "--select", "AMD1001", "a.ipynb").stdout)
    assert [(f["cell"], f["location"]["row"]) for f in found] == [(2, 5)]


@pytest.mark.parametrize(
    "layout", [{"indent": 1}, {"indent": 2, "ensure_ascii": False}, {}], ids=["jupyter", "utf-8", "one line"]
)
@pytest.mark.parametrize("source", [GATE, "".join(GATE)], ids=["lines", "one string"])
def test_fix_rewrites_only_the_cell(
    amdlint, tmp_path: Path, layout: dict[str, object], source: object
) -> None:
    before = notebook(["print('显卡')"], source, source, **layout) + "\n"
    (tmp_path / "a.ipynb").write_text(before, encoding="utf-8")
    result = amdlint("--fix", "a.ipynb")
    assert result.exit_code == 0, result.stdout
    after = (tmp_path / "a.ipynb").read_text(encoding="utf-8")
    assert after == before.replace("if torch.cuda", "if torch.version.hip is None and torch.cuda")


@pytest.mark.parametrize("text", ["{", "[]", '{"worksheets": []}'])
def test_broken_notebook(amdlint, tmp_path: Path, text: str) -> None:
    (tmp_path / "a.ipynb").write_text(text)
    result = amdlint("--fix", "a.ipynb")
    assert result.exit_code == 2
    assert "a.ipynb: not a notebook" in result.stderr
    assert (tmp_path / "a.ipynb").read_text() == text


def test_a_cell_is_not_taken_for_another_with_the_same_text() -> None:
    same = "import torch\nif torch.cuda.get_device_capability() >= (9, 0):\n    import hopper_kernels\n"
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": same},
        {"cell_type": "raw", "metadata": {}, "source": same.splitlines(True)},
        None,
        {
            "cell_type": "code",
            "metadata": {},
            "outputs": [{"source": same}],
            "execution_count": None,
            "source": same,
        },
    ]
    text = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)
    after = json.loads(fix_text("a.ipynb", text))["cells"]
    assert after[:3] == cells[:3]
    assert after[3]["outputs"] == [{"source": same}]
    assert after[3]["source"] == same.replace("if torch", "if torch.version.hip is None and torch")
