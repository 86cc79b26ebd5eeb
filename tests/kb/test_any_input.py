"""Whatever is pasted: an answer or none, never an exception; and work that grows with the size of the paste."""

from __future__ import annotations

import io

import pytest
from amdlint.kb import clean, load, match
from amdlint.kb.index import index_of
from amdlint.kb.reduce import reduced
from hypothesis import given, settings
from hypothesis import strategies as st

BASE = load()
PIECES = (
    "[rank3]: ", "\x1b[31m", "[0m", "> ", "```\n", "HIP error: ", "\r", "\n", "\r\n", " | ", "name-1  | ", "gfx942", "+rocm6.4", "torch ",
    "2025-06-24T05:49:37Z ", '{"log":"', '\\n"}', "(worker pid=1) ", "Traceback (most recent call last):\n", '  File "x.py", line 1, in f\n',
    "RuntimeError: ", "Root Cause (first observed failure):\n", "  rank      : 5 (local_rank: 5)\n", "│ ", "\ufeff", "\u0000", "日志", "&lt;", "0: ",
    "(from versions: ", "invalid device function", "x" * 90, "AMD Instinct MI300X", "NVIDIA H100", "/opt/rocm-6.4.0/", "Radeon RX ", "9" * 30,
)  # fmt: skip
LOGS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=12)), max_size=40).map("".join)


@settings(max_examples=150, deadline=None)
@given(LOGS)
def test_any_text_is_read(log: str) -> None:
    paste = clean.clean(log)
    last = log.count("\n") + 1
    assert all(1 <= x.number <= last for x in (*paste.lines, *paste.joins))
    found = match.explain(paste, BASE)
    assert bool(found.matches) == (found.reason == "")
    assert all(0 < m.confidence < 1 and m.evidence for m in found.matches)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_read(log: bytes) -> None:
    match.explain(log, BASE)


@settings(max_examples=60, deadline=None)
@given(LOGS)
def test_any_stream_is_reduced_to_lines_of_its_own(log: str) -> None:
    raw = log.encode("utf-8", "replace")
    lines = raw.decode("utf-8", "replace").split("\n")
    for number, text in reduced(io.BytesIO(raw), index_of(BASE)):
        assert lines[number - 1] == text or len(lines[number - 1]) > 4000 or clean.encoding_of(raw) != "utf-8"


@pytest.mark.parametrize(
    "unit",
    [
        "HIP error: ",
        "[rank3]: ",
        "> ",
        "\x1b[31m",
        "(from versions: ",
        "torch 2.9.0+rocm6.4 ",
        "gfx942 ",
        "a ",
        "NCCL WARN ",
        "│ ",
        "Radeon RX 7900 ",
        "x86_64-",
    ],
)
def test_a_long_line_of_one_thing_is_read(unit: str) -> None:
    log = unit * (60_000 // len(unit))
    assert {x.number for x in match.explain(log, BASE).paste.lines} <= {1}
