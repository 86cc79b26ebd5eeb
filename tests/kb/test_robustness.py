"""The answer to a log does not depend on the shape in which the log arrives."""

from __future__ import annotations

import pytest
from amdlint import kb
from amdlint.kb import match

from ..support.log_variants import LOSSY, VARIANTS

pytestmark = pytest.mark.slow  # the same on every Python

BASE = kb.load()
LOGS = [
    (entry, example.log)
    for entry in BASE
    for example in entry.examples
    if example.log is not None and example.match == "first"
]


def first_answer(log: str | bytes) -> str | None:
    matches = match.explain(log, BASE).matches
    return matches[0].entry.code if matches else None


def share(variant: str, names: list[str]) -> list[tuple[kb.Entry, str]]:
    """A quarter of all logs, another one for the next variant: every log meets many variants in affordable time."""
    return LOGS[names.index(variant) % 4 :: 4]


@pytest.mark.parametrize("name", VARIANTS)
def test_same_answer(name: str) -> None:
    logs = share(name, list(VARIANTS))
    if name == "beside a healthy rank":  # a harmless notice is no answer to a run that died
        logs = [(e, log) for e, log in logs if e.severity == "error"]
    changed = [
        (entry.code, before, after)
        for entry, log in logs
        if (after := first_answer(VARIANTS[name](log))) != (before := first_answer(log))
    ]
    assert changed == []


@pytest.mark.parametrize("name", LOSSY)
def test_same_answer_or_none(name: str) -> None:
    answers = [
        (e.code, first_answer(log), first_answer(LOSSY[name](log))) for e, log in share(name, list(LOSSY))
    ]
    assert [a for a in answers if a[2] not in (a[1], None)] == []
    assert sum(a[2] is None for a in answers) <= 0.03 * len(answers)
