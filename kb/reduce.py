"""Cut a huge log down to the lines that matter, in one pass and constant memory.

Logs say the same thing again and again with other numbers in it. So each chunk is looked at without
its digits: a shape of line that has been seen is not searched again, and of each interesting shape
only the first lines are kept, with the lines around them. What is left has its original line numbers
and goes the way of any small log.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import BinaryIO

from . import clean, evidence, failure
from .index import Index
from .prefilter import DIGITS, Prefilter

CHUNK = 1 << 19
SMALL = 1 << 17
"""Logs up to this size are read as a whole."""
HEAD = TAIL = 1 << 14
KEEP = 4
"""Lines kept of each interesting shape."""
BEFORE, AFTER = 12, 3
"""Lines kept around an interesting one, for tracebacks."""
MAX_KNOWN = 30_000
"""Shapes remembered before starting afresh."""
MAX_SHAPE = 2000
MAX_TELLING, MAX_OTHER = 1 << 18, 1 << 16
"""Bytes kept of lines that a signature or an error word stands in, and of all others."""
MAX_SHAPES = 10_000
MAX_OF_WORD = 100
"""Different shapes with one word in them; a word that stands everywhere tells nothing new."""
LONG_LINE = 8000
MIN_WORD = 3

_CONTEXT = ("torch", "Torch", "python3", "Python ", "microsoft-standard", "Root Cause (first observed failure)", "(local_rank: ")


def reduced(stream: BinaryIO, index: Index) -> Iterator[tuple[int, str]]:
    """Numbered lines of a log that can matter, in order."""
    yield from Reducer(index).run(stream)


class Reducer:
    """One pass over one log."""

    def __init__(self, index: Index) -> None:
        telling = {*index.by_literal, *failure.ERROR_WORDS}
        words = telling | {w for w in index.context_literals if is_telling(w)} | {*evidence.AMD_WORDS, *evidence.NVIDIA_WORDS, *evidence.CUDA_WORDS, *evidence.CUDA_ADVICE}
        words |= {*failure.TRAILERS, *failure.CASCADES, *_CONTEXT}
        bare = {w.encode().translate(None, DIGITS) for w in words}
        self.telling = {w.encode().translate(None, DIGITS) for w in telling}
        self.prefilter = Prefilter(w for w in bare if len(w) >= MIN_WORD)
        self.known: set[bytes] = set()
        self.seen: dict[bytes, int] = {}
        """How often an interesting shape has been kept."""
        self.strong: set[bytes] = set()
        """Shapes in which a signature's literal or an error word stands."""
        self.words: dict[bytes, int] = {}
        """How many shapes each literal has made interesting."""
        self.kept: dict[int, bytes] = {}
        self.room = {True: MAX_TELLING, False: MAX_OTHER}

    def run(self, stream: BinaryIO) -> Iterator[tuple[int, str]]:
        """The kept lines of the stream."""
        number = 1
        total = 0
        recent: list[bytes] = []
        tail: list[bytes] = []
        for chunk in _chunks(stream):
            lines = chunk.split(b"\n")
            if lines and not lines[-1]:
                lines.pop()
            self._chunk(lines, chunk, number, recent, head=total < HEAD)
            total += len(chunk)
            # A line too long for one chunk goes on in the next one.
            number += len(lines) if chunk.endswith(b"\n") else len(lines) - 1
            recent = lines[-BEFORE:]
            tail = lines
        self._keep_tail(tail, max(1, number - len(tail)))
        for n in sorted(self.kept):
            yield n, self.kept[n].decode("utf-8", "replace")

    def _chunk(self, lines: list[bytes], chunk: bytes, number: int, recent: list[bytes], *, head: bool) -> None:
        shapes = chunk.translate(None, DIGITS).split(b"\n")
        distinct = set(shapes)
        fresh = distinct - self.known
        if fresh:
            self._learn(fresh)
        if head:
            size = 0
            for i, line in enumerate(lines):
                size += len(line)
                if size > HEAD:
                    break
                self._keep(number + i, line, telling=True)
        if distinct.isdisjoint(self.seen):
            return
        seen = self.seen
        for i, shape in enumerate(shapes):
            count = seen.get(shape)
            if count is None or count >= KEEP:
                continue
            seen[shape] = count + 1
            telling = shape in self.strong
            before, after = (BEFORE, AFTER) if telling and count < 2 else (1, 1)
            for j in range(i - before, min(len(lines), i + after + 1)):
                if j >= 0:
                    self._keep(number + j, lines[j], telling=telling)
                elif -j <= len(recent):
                    self._keep(number + j, recent[j], telling=telling)

    def _learn(self, fresh: set[bytes]) -> None:
        """Note which of the new shapes are interesting."""
        for shape, literals in self.prefilter.search(b"\n".join(fresh)):
            if len(shape) < MAX_SHAPE and len(self.seen) < MAX_SHAPES:
                self.seen.setdefault(shape, 0)
                if not self.telling.isdisjoint(literals):
                    self.strong.add(shape)
            for literal in literals:
                count = self.words[literal] = self.words.get(literal, 0) + 1
                if count == MAX_OF_WORD:
                    self.prefilter.give_up(literal)
        if len(self.known) > MAX_KNOWN:
            self.known.clear()
        self.known |= {x for x in fresh if len(x) < MAX_SHAPE}

    def _keep(self, number: int, line: bytes, *, telling: bool) -> None:
        if number not in self.kept and self.room[telling] > 0:
            self.kept[number] = line[:LONG_LINE]
            self.room[telling] -= min(len(line), LONG_LINE)

    def _keep_tail(self, lines: list[bytes], number: int) -> None:
        size = 0
        for i in range(len(lines) - 1, -1, -1):
            size += len(lines[i])
            if size > TAIL:
                break
            self.kept.setdefault(number + i, lines[i][:LONG_LINE])


def is_telling(context: str) -> bool:
    """Whether what a signature wants beside it is worth searching a whole log for; "False" or "docker" is not."""
    return len(context) >= 12 or (len(context) >= 5 and context != context.lower() and context[1:] != context[1:].lower())


def _chunks(stream: BinaryIO) -> Iterator[bytes]:
    """The stream as UTF-8 in chunks that end with a line (or, in endless lines, anywhere)."""
    head = stream.read(CHUNK)
    encoding = clean.encoding_of(head)
    decoder = None if encoding == "utf-8" else codecs.getincrementaldecoder(encoding)("replace")
    rest = b""
    piece = head
    while piece:
        if decoder is not None:
            piece = decoder.decode(piece).encode("utf-8", "replace")
        cut = piece.rfind(b"\n") + 1
        if cut or len(rest) > CHUNK:
            yield rest + piece[:cut] if cut else rest
            rest = piece[cut:] if cut else piece
        else:
            rest += piece
        piece = stream.read(CHUNK)
    if rest:
        yield rest
