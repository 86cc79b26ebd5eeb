"""Huge logs: what is kept, at which line numbers, and in how much memory."""

from __future__ import annotations

import io
import tracemalloc

import pytest
from amdlint.kb import clean, match, reduce
from amdlint.kb.index import Index
from amdlint.kb.model import Entry, Signature, Source
from amdlint.kb.prefilter import Prefilter
from amdlint.kb.store import KnowledgeBase

pytestmark = pytest.mark.slow  # the same on every Python

BASE = KnowledgeBase(
    [
        Entry(
            code="AMD9001",
            title="x",
            severity="error",
            cause="x",
            sources=(Source("https://example.org", "x", "x"),),
            signatures=(
                Signature(text="HIP error: invalid device function"),
                Signature(regex="loss.{0,4}nan.{0,20}gfx9[0-9]{2}", needs="nothing"),
            ),
            slug="x",
            area="runtime",
        )
    ]
)
INDEX = Index(BASE)
ERROR = "RuntimeError: HIP error: invalid device function"


class Endless(io.RawIOBase):
    """A log of a given number of lines that is made while it is read."""

    def __init__(self, lines: int, at: dict[int, str], encoding: str = "utf-8") -> None:
        self._lines = iter(range(1, lines + 1))
        self._at, self._encoding = at, encoding
        self._buffer = "\ufeff".encode(encoding) if encoding == "utf-16-le" else b""

    def read(self, size: int = -1) -> bytes:
        while len(self._buffer) < size:
            number = next(self._lines, None)
            if number is None:
                break
            text = self._at.get(
                number,
                f"[rank{number % 8}]: step {number} | loss {number % 97 / 97:.4f} | tokens/s {number * 7}",
            )
            self._buffer += (text + "\n").encode(self._encoding)
        out, self._buffer = self._buffer[:size], self._buffer[size:]
        return out


def kept(stream: io.RawIOBase) -> dict[int, str]:
    return dict(reduce.reduced(stream, INDEX))  # type: ignore[arg-type]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le"])
def test_the_line_that_matters_is_kept_with_its_number(encoding: str) -> None:
    lines = kept(Endless(60_000, {41_234: ERROR}, encoding))
    assert lines[41_234] == ERROR
    assert 41_233 in lines
    assert 1 in lines
    assert 60_000 in lines
    assert len(lines) < 2000


def test_a_reduced_log_gets_the_answer_of_the_whole_one() -> None:
    stream = Endless(60_000, {41_230: "Traceback (most recent call last):", 41_234: f"[rank3]: {ERROR}"})
    paste = clean.clean_lines(reduce.reduced(stream, INDEX))  # type: ignore[arg-type]
    best = match.explain(paste, BASE).matches[0]
    assert [(x.number, x.rank) for x in best.evidence] == [(41_234, 3)]


def test_digits_of_a_literal_do_not_hide_it() -> None:
    assert 30_000 in kept(Endless(40_000, {30_000: "loss: nan on gfx942"}))


def test_a_storm_of_equal_lines_keeps_a_few() -> None:
    storm = {n: f"[rank{n % 8}]: {ERROR} at step {n}" for n in range(1000, 50_000)}
    found = kept(Endless(60_000, storm))
    assert 0 < sum(ERROR in x for x in found.values()) < 500
    assert min(n for n, x in found.items() if ERROR in x) == 1000


def test_a_storm_whose_lines_all_differ_does_not_hide_what_follows() -> None:
    words = ("".join(chr(97 + (n >> k) % 20) for k in (0, 4, 8, 12)) for n in range(1 << 16))
    storm = {n: f"{ERROR} in {next(words)}" for n in range(1000, 50_000)}
    found = kept(Endless(60_000, storm | {55_000: "loss is nan on gfx942"}))
    assert 55_000 in found
    assert min(n for n, x in found.items() if ERROR in x) == 1000
    assert sum(ERROR in x for x in found.values()) < 20 * reduce.ENOUGH


def test_lines_around_an_error_are_kept_across_a_chunk_border(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reduce, "CHUNK", 4096)
    monkeypatch.setattr(reduce, "HEAD", 100)
    monkeypatch.setattr(reduce, "TAIL", 100)
    for at in range(2000, 2100):
        assert at - 3 in kept(Endless(3000, {at: ERROR}))


def test_a_file_without_line_ends_is_read_too() -> None:
    assert any(ERROR in x for x in kept(io.BytesIO(b"x" * 3_000_000 + ERROR.encode())).values())  # type: ignore[arg-type]


def test_memory_does_not_grow_with_the_log() -> None:
    peaks = []
    for lines in (50_000, 400_000):
        tracemalloc.start()
        kept(Endless(lines, {lines - 5: ERROR}))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] * 1.3 + 1_000_000


LITERALS = [
    b"HIP error: ",
    b"hipError",
    b"miopenStatus",
    b"error",
    b"out of memory",
    b"gfx",
    b"` when calling `hip",
]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (b"RuntimeError: HIP error: out of memory", {b"HIP error: ", b"error", b"out of memory"}),
        (b"hipErrorInvalidValue", {b"hipError"}),
        (b"xmiopenStatusUnknownError", {b"miopenStatus"}),
        (b"HIP error:", {b"error"}),
        (b"CHIP error: x", {b"HIP error: ", b"error"}),
        (b"HIPBLAS_STATUS_X when calling `hipblasCreate`", set()),
        (b"`X` when calling `hipblasCreate`", {b"` when calling `hip"}),
        (b"nothing here", set()),
    ],
)
def test_the_prefilter_finds_exactly_the_literals_that_stand_in_a_line(
    line: bytes, found: set[bytes]
) -> None:
    text = b"some line\n" + line + b"\nanother"
    prefilter = Prefilter(LITERALS)
    for _ in range(2):  # the second time the words are known
        assert {x: set(y) for x, y in prefilter.search(text)} == ({line: found} if found else {})


def test_a_literal_given_up_is_not_found_again() -> None:
    prefilter = Prefilter(LITERALS)
    assert dict(prefilter.search(b"an error")) == {b"an error": [b"error"]}
    prefilter.give_up(b"error")
    assert dict(prefilter.search(b"an error\nmy errors")) == {}
