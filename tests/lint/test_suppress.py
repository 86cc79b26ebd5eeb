"""noqa comments in every file type, and those that silence nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from amdlint.lint.discover import language_of
from amdlint.lint.source import Source
from amdlint.lint.suppress import suppressions, unused


@pytest.mark.parametrize(
    ("name", "text", "codes"),
    [
        ("a.py", "x = 1  # noqa: AMD1001\n", ("AMD1001",)),
        ("a.py", "x = 1  # noqa: E501, AMD1001 AMD2001\n", ("E501", "AMD1001", "AMD2001")),
        ("a.py", "x = 1  # noqa:amd1001 because\n", ("AMD1001",)),
        ("a.py", "x = 1  # NOQA\n", ()),
        ("a.py", "x = 1  # see above  # noqa: AMD1001\n", ("AMD1001",)),
        ("a.cu", "int x;  // noqa: AMD3201\n", ("AMD3201",)),
        ("a.cu", "int x;  /* noqa: AMD3201 */ int y;\n", ("AMD3201",)),
        ("Dockerfile", "FROM nvidia/cuda  # noqa: AMD7101\n", ("AMD7101",)),
        ("a.yaml", "image: x # noqa: AMD7101\n", ("AMD7101",)),
    ],
)
def test_read(name: str, text: str, codes: tuple[str, ...]) -> None:
    language = language_of(Path(name))
    assert language
    found = suppressions(Source(name, text.encode()), language)
    assert [s.codes for s in found] == [codes]


@pytest.mark.parametrize(
    "text",
    [
        's = "# noqa: AMD1001"\n',
        "x = 1  # noqable\n",
        "x = 1  # nonoqa\n",
        '"""\n# noqa: AMD1001\n"""\n',
    ],
)
def test_not_a_suppression(text: str) -> None:
    assert suppressions(Source("a.py", text.encode()), "python") == []


def test_whole_file() -> None:
    found = suppressions(Source("a.py", b"# amdlint: noqa: AMD1001\nx = 1\n"), "python")
    assert found[0].covers("AMD1001", 40, 41)
    assert not found[0].covers("AMD1002", 40, 41)


def test_only_codes_of_amdlint_are_unused() -> None:
    found = suppressions(Source("a.py", b"x = 1  # noqa: E501, AMD1001\ny = 1  # noqa\n"), "python")
    assert [(s.row, codes) for s, codes in unused(found)] == [(1, ("AMD1001",))]
