"""Statements that move under a test keep everything else as it was."""

from __future__ import annotations

import ast

import pytest
from amdlint.lint.finding import Move
from amdlint.lint.python.restructure import written
from amdlint.lint.source import Source

HIP = "torch.version.hip is None"


def moved(text: str, statement: str, indent: str, step: str = "    ", otherwise: str = "") -> str:
    source = Source("a.py", text.encode())
    start = source.data.index(statement.encode())
    line_end = source.data.find(b"\n", start + len(statement.encode()))
    move = Move(start, line_end if line_end > 0 else len(source.data), "", HIP, indent, step, otherwise)
    made = written(source, [move])
    assert made is not None
    (edit,) = made
    new = source.data[: edit.start] + edit.content.encode() + source.data[edit.end :]
    ast.parse(new)
    return new.decode()


def test_one_line_with_its_comment() -> None:
    assert moved("import a\nimport pynvml  # 显卡\nx = 1\n", "import pynvml", "") == (
        "import a\nif torch.version.hip is None:\n    import pynvml  # 显卡\nx = 1\n"
    )


def test_else_branch_and_no_final_newline() -> None:
    assert moved("from fa3 import f", "from fa3 import f", "", otherwise="from fa2 import f") == (
        "if torch.version.hip is None:\n    from fa3 import f\nelse:\n    from fa2 import f"
    )


def test_a_text_over_several_lines_stays_as_it_is() -> None:
    text = "def f():\n    run('''a\n  b''',\n        1)  # c\n    done()\n"
    assert moved(text, "run('''a\n  b''',\n        1)", "    ") == (
        "def f():\n    if torch.version.hip is None:\n        run('''a\n  b''',\n            1)  # c\n    done()\n"
    )


def test_compound_statement_with_tabs() -> None:
    text = "class A:\n\tfor x in y:\n\t\tg(x)\n\n\t\t# then\n\t\th()\n"
    assert moved(text, "for x in y:\n\t\tg(x)\n\n\t\t# then\n\t\th()", "\t", "\t") == (
        "class A:\n\tif torch.version.hip is None:\n\t\tfor x in y:\n\t\t\tg(x)\n\n\t\t\t# then\n\t\t\th()\n"
    )


@pytest.mark.parametrize("statement", ["x = (", "print 1"])
def test_what_does_not_parse_is_left_alone(statement: str) -> None:
    source = Source("a.py", statement.encode())
    assert written(source, [Move(0, len(statement), test=HIP)]) is None


def test_deep_in_a_class() -> None:
    text = "class A:\n    def f(self):\n        init()\n        go()\n"
    assert moved(text, "init()", "        ", otherwise="pass") == (
        "class A:\n    def f(self):\n        if torch.version.hip is None:\n            init()\n"
        "        else:\n            pass\n        go()\n"
    )
