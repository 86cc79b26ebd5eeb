"""Spans answer as a plain search over all of them would."""

from __future__ import annotations

from amdlint.lint.project.spans import Spans
from hypothesis import given
from hypothesis import strategies as st

SPAN = st.tuples(st.integers(0, 30), st.integers(0, 6)).map(lambda p: (p[0], p[0] + p[1]))


@given(st.lists(SPAN))
def test_as_a_search(spans: list[tuple[int, int]]) -> None:
    quick = Spans(spans)
    assert [i for i in range(40) if i in quick] == [i for i in range(40) if any(a <= i < b for a, b in spans)]
