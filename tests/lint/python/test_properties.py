"""What must not matter does not matter: line ends, blank lines, comments, names, nesting, a second run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from amdlint.kb import load
from amdlint.lint.engine import check_text, fix_text, read
from hypothesis import given, settings
from hypothesis import strategies as st

EXAMPLES = [
    (entry.code, example.path or "example.py", example.bad)
    for entry in load()
    if entry.rule == "python"
    for example in entry.examples
    if example.bad is not None
]
SMALL = settings(max_examples=60, deadline=None)
example = st.sampled_from(EXAMPLES)


def rows(code: str, path: str, text: str) -> list[int]:
    source = read(Path(path), text.encode())
    return [source.position(f.start)[0] for f in check_text(path, text) if f.code == code]


@SMALL
@given(example)
def test_line_ends(case: tuple[str, str, str]) -> None:
    code, path, text = case
    other = text.replace("\n", "\r\n")
    assert rows(code, path, other) == rows(code, path, text)
    assert fix_text(path, other, unsafe=True) == fix_text(path, text, unsafe=True).replace("\n", "\r\n")


@SMALL
@given(example, st.lists(st.sampled_from(["", "# größer als 9 ✓", "#", "   "]), max_size=4))
def test_lines_before(case: tuple[str, str, str], lines: list[str]) -> None:
    code, path, text = case
    head = "".join(f"{line}\n" for line in lines)
    assert rows(code, path, head + text) == [r + len(lines) for r in rows(code, path, text)]


@SMALL
@given(example, st.sampled_from(["if True:", "with open('x') as f:", "for _ in range(2):"]))
def test_nesting(case: tuple[str, str, str], head: str) -> None:
    code, path, text = case
    inner = "\n".join(f"    {line}" if line else "" for line in text.splitlines())
    assert rows(code, path, f"{head}\n{inner}\n") == [r + 1 for r in rows(code, path, text)]


@SMALL
@given(example, st.sampled_from(["th", "_t", "torch2"]))
def test_another_name_for_torch(case: tuple[str, str, str], name: str) -> None:
    code, path, text = case
    if not re.search(r"^import torch$", text, re.M):
        return
    renamed = re.sub(r"^import torch$", f"import torch as {name}", text, flags=re.M)
    renamed = re.sub(r"(?<![\w.\"/+ ])torch\.(?=[a-z_])|(?<=[ (\[=])torch\.(?=[a-z_])", f"{name}.", renamed)
    renamed = re.sub(rf"^(\s*(?:from|import) ){name}\.", r"\1torch.", renamed, flags=re.M)
    assert rows(code, path, renamed) == rows(code, path, text)


@pytest.mark.parametrize("unsafe", [False, True])
@pytest.mark.parametrize(("code", "path", "text"), EXAMPLES)
def test_a_second_run_changes_nothing(code: str, path: str, text: str, unsafe: bool) -> None:
    once = fix_text(path, text, unsafe=unsafe)
    assert fix_text(path, once, unsafe=unsafe) == once


@SMALL
@given(st.lists(example, min_size=2, max_size=3))
def test_several_problems_in_one_file(cases: list[tuple[str, str, str]]) -> None:
    text = "\n\n".join(c[2] for c in cases if c[1] == "example.py" and "from __future__" not in c[2])
    once = fix_text("example.py", text, unsafe=True)
    compile(once, "example.py", "exec")
    assert fix_text("example.py", once, unsafe=True) == once
