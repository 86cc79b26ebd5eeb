"""Cut a huge log down to the lines that matter, in one pass and constant memory.

Logs say the same thing again and again with other numbers in it. So each chunk is looked at without
its digits: a shape of line that has been seen is not searched again, and of each interesting shape
only the first lines are kept, with the lines around them. What is left has its original line numbers
and goes the way of any small log.
"""

from __future__ import annotations

import codecs
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Literal, Protocol

import msgspec

from . import clean, evidence, failure
from .index import Index
from .prefilter import DIGITS, Prefilter

CHUNK = 1 << 19
SMALL = 1 << 15
"""Logs up to this size are read as a whole."""
HEAD = TAIL = 1 << 14
KEEP = 4
"""Lines kept of each interesting shape."""
ENOUGH = 60
"""Lines kept in which the same signature matches: a storm of one error must not hide another one."""
BEFORE, AFTER = 12, 3
"""Lines kept around an interesting one, for tracebacks."""
LONG_LINE, OVERLAP = 4000, 400
"""Longer lines are read in pieces."""
MAX_KNOWN = 30_000
"""Shapes remembered before starting afresh."""
MAX_SHAPES = 10_000
"""Interesting shapes remembered."""
MIN_WORD = 3

Class = Literal["signature", "error", "other"]
ROOM: dict[Class, int] = {"signature": 1 << 17, "error": 1 << 16, "other": 1 << 15}
"""Bytes kept of lines in which a signature matches, an error word stands, or something else of interest."""
PATIENCE: dict[Class, int] = {"signature": 5000, "error": 100, "other": 100}
"""Shapes that one literal may make interesting; a word that stands everywhere tells nothing new."""

_CONTEXT = ("torch", "Torch", "python3", "Python ", "microsoft-standard", "Root Cause (first observed failure)", "(local_rank: ")  # fmt: skip


class Readable(Protocol):
    """Whatever gives bytes."""

    def read(self, size: int, /) -> bytes | None: ...


class _Shape(msgspec.Struct):
    """An interesting shape: how often its lines were looked at, why, and which signatures to ask."""

    why: Class
    ask: tuple[int, ...] = ()
    looked: int = 0


def reduced(stream: Readable, index: Index) -> Iterator[tuple[int, str]]:
    """Numbered lines of a log that can matter, in order."""
    yield from Reducer(index).run(stream)


class Reducer:
    """One pass over one log."""

    def __init__(self, index: Index) -> None:
        self.index = index
        context = {w for w in index.context_literals if is_telling(w)}
        others = {*context, *_CONTEXT, *failure.TRAILERS, *failure.CASCADES, *evidence.AMD_WORDS}
        others |= {*evidence.NVIDIA_WORDS, *evidence.CUDA_WORDS, *evidence.CUDA_ADVICE}
        self.classes: dict[bytes, Class] = dict.fromkeys(_bare(others), "other")
        self.classes |= dict.fromkeys(_bare(failure.ERROR_WORDS), "error")
        self.classes |= dict.fromkeys(_bare(index.by_literal), "signature")
        self.numbers: dict[bytes, list[int]] = {}
        """Signatures by their literal without its digits."""
        for literal, numbers in index.by_literal.items():
            for bare in _bare((literal,)):
                self.numbers.setdefault(bare, []).extend(numbers)
        self.prefilter = Prefilter(self.classes)
        self.known: set[bytes] = set()
        self.shapes: set[bytes] = set()
        """Shapes found interesting."""
        self.active: dict[bytes, _Shape] = {}
        """Those of which not enough lines have been seen yet."""
        self.matched: Counter[int] = Counter()
        """In how many kept lines each signature has matched."""
        self.done: set[int] = set()
        """Signatures that have matched often enough."""
        self.found: dict[bytes, int] = {}
        """How many shapes each literal has made interesting."""
        self.kept: dict[int, tuple[int, bytes]] = {}
        """Row to line number and line; a long line has several rows."""
        self.room = dict(ROOM)

    def run(self, stream: Readable) -> Iterator[tuple[int, str]]:
        """The kept lines of the stream."""
        rows = _Rows(b"", 0, 1)
        total = 0
        for chunk in _chunks(stream):
            before, rows = rows, _Rows(chunk, rows.next_row, rows.next_number)
            self._chunk(rows, before, head=total < HEAD)
            total += len(chunk)
        self._keep_tail(rows)
        for row in sorted(self.kept):
            number, line = self.kept[row]
            yield number, line.decode("utf-8", "replace")

    def _chunk(self, rows: _Rows, before: _Rows, *, head: bool) -> None:
        distinct = set(rows.shapes)
        if fresh := distinct - self.known:
            if max(map(len, fresh)) > LONG_LINE:
                rows.cut()
                distinct = set(rows.shapes)
                fresh = distinct - self.known
            self._learn(fresh)
        if head:
            size = 0
            for i, line in enumerate(rows.lines):
                size += len(line)
                if size > HEAD:
                    break
                self._keep(rows, i, "error")
        if self.active.keys().isdisjoint(distinct):
            return
        get = self.active.get
        for i, text in enumerate(rows.shapes):
            shape = get(text)
            if shape is None:
                continue
            shape.looked += 1
            if shape.looked >= KEEP:
                del self.active[text]
            why = shape.why
            if why == "signature" and not self._matches(rows.lines[i], shape.ask):
                why = "other"
            around = (BEFORE, AFTER) if why != "other" and shape.looked <= 2 else (1, 1)
            for j in range(i - around[0], min(len(rows.lines), i + around[1] + 1)):
                if j >= 0:
                    self._keep(rows, j, why)
                elif -j <= len(before.lines):
                    self._keep(before, len(before.lines) + j, why)

    def _matches(self, line: bytes, ask: Iterable[int]) -> bool:
        """Whether a signature of which not enough lines have been seen matches."""
        text = clean.strip_escapes(line.decode("utf-8", "replace"))
        found = [n for n in ask if n not in self.done and self.index.pattern(n).found_in(text)]
        for number in found:
            self.matched[number] += 1
            if self.matched[number] == ENOUGH:
                self.done.add(number)
                for literal, numbers in self.numbers.items():
                    if number in numbers and self.done.issuperset(numbers):
                        self.prefilter.give_up(literal)
        return bool(found)

    def _learn(self, fresh: set[bytes]) -> None:
        """Note which of the new shapes are interesting."""
        for text, literals in self.prefilter.search(b"\n".join(fresh)):
            classes = {self.classes[x] for x in literals}
            why: Class = next(c for c in ROOM if c in classes)
            if len(self.shapes) < MAX_SHAPES and text not in self.shapes:
                ask = tuple(dict.fromkeys(n for x in literals for n in self.numbers.get(x, ())))
                self.shapes.add(text)
                self.active[text] = _Shape(why, ask)
            for literal in literals:
                count = self.found[literal] = self.found.get(literal, 0) + 1
                if count == PATIENCE[self.classes[literal]]:
                    self.prefilter.give_up(literal)
        if len(self.known) > MAX_KNOWN:
            self.known.clear()
        self.known |= fresh

    def _keep(self, rows: _Rows, i: int, why: Class) -> None:
        row = rows.first_row + i
        if row not in self.kept and self.room[why] > 0:
            line = rows.lines[i][: 2 * LONG_LINE]
            self.kept[row] = rows.number(i), line
            self.room[why] -= len(line)

    def _keep_tail(self, rows: _Rows) -> None:
        size = 0
        for i in range(len(rows.lines) - 1, -1, -1):
            size += len(rows.lines[i])
            if size > TAIL:
                break
            self.kept.setdefault(rows.first_row + i, (rows.number(i), rows.lines[i]))


class _Rows:
    """The lines of a chunk. What few chunks are asked for is made when asked for."""

    def __init__(self, chunk: bytes, first_row: int, first_number: int) -> None:
        self._chunk = chunk
        self.first_row = first_row
        self._first_number = first_number
        self.shapes = chunk.translate(None, DIGITS).split(b"\n") if chunk else []
        """The lines without their digits."""
        self._ended = chunk.endswith(b"\n")
        if self._ended:
            self.shapes.pop()
        self._numbers = len(self.shapes)

        self._pieces_of: list[int] = []

    @cached_property
    def lines(self) -> list[bytes]:
        """The lines."""
        return self._chunk.split(b"\n")[: self._numbers]

    def number(self, row: int) -> int:
        """The number of a line in the log."""
        return self._first_number + (self._pieces_of[row] if self._pieces_of else row)

    def cut(self) -> None:
        """Break long lines into overlapping pieces with the number of the line."""
        pieces = [
            (i, line[at : at + LONG_LINE])
            for i, line in enumerate(self.lines)
            for at in range(0, max(1, len(line) - OVERLAP), LONG_LINE - OVERLAP)
        ]
        self._pieces_of = [i for i, _ in pieces]
        self.lines = [line for _, line in pieces]
        self.shapes = [line.translate(None, DIGITS) for line in self.lines]

    @property
    def next_row(self) -> int:
        """The first row of the chunk that follows."""
        return self.first_row + len(self.shapes)

    @property
    def next_number(self) -> int:
        """The number of its first line; a line too long for one chunk goes on in the next one."""
        return self._first_number + self._numbers - (self._numbers > 0 and not self._ended)


def _bare(words: Iterable[str]) -> Iterator[bytes]:
    """Words as they look in a line without digits."""
    for word in words:
        bare = word.encode("utf-8", "replace").translate(None, DIGITS)
        if len(bare) >= MIN_WORD:
            yield bare


def is_telling(context: str) -> bool:
    """Whether what a signature wants beside it is worth searching a whole log for; "False" or "docker" is not."""
    inside = context[1:]
    return len(context) >= 12 or (len(context) >= 5 and inside != inside.lower())


def _chunks(stream: Readable) -> Iterator[bytes]:
    """The stream as UTF-8 in chunks that end with a line (or, in endless lines, anywhere)."""
    piece = stream.read(CHUNK) or b""
    encoding = clean.encoding_of(piece)
    decoder = None if encoding == "utf-8" else codecs.getincrementaldecoder(encoding)("replace")
    rest = b""
    while piece:
        if decoder is not None:
            piece = decoder.decode(piece).encode("utf-8", "replace")
        cut = piece.rfind(b"\n") + 1
        if cut:
            yield rest + piece[:cut]
            rest = piece[cut:]
        else:
            rest += piece
            if len(rest) > CHUNK:
                yield rest[:-OVERLAP]
                rest = rest[-OVERLAP:]
        piece = stream.read(CHUNK) or b""
    if rest:
        yield rest
