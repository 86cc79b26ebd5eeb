"""A file as amdlint reads it: bytes in, the same bytes out, offsets in UTF-8 in between."""

from __future__ import annotations

import codecs
import io
import re
import tokenize
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate
from pathlib import Path

_NEWLINE = re.compile(rb"\r\n|\r|\n")
_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


class UnreadableSource(Exception):
    """The file cannot be read as text; the message says why."""


class Source:
    """One file (or one piece of a file, such as a notebook cell).

    ``data`` is UTF-8 without byte order mark; where all line ends of the file are CR LF, or all are CR, they
    are LF here. Bytes that are not valid in the file's encoding survive a round trip. ``encoded`` turns
    (edited) data back into what belongs on disk.
    """

    def __init__(self, path: str | Path, raw: bytes, *, python: bool = False) -> None:
        self.path = Path(path)
        self.encoding = "utf-8"
        self.mark = next((m for m in _MARKS if raw.startswith(m)), b"")
        """The byte order mark of the file."""
        self.line_end = b"\n"
        """What LF in ``data`` is on disk."""
        self.faithful = True
        """Whether ``encoded`` gives the file back: some encodings write one text in several ways."""
        body = raw[len(self.mark) :]
        if self.mark:
            self.encoding = _MARKS[self.mark]
        elif python and b"coding" in raw[:400]:
            try:
                self.encoding = tokenize.detect_encoding(io.BytesIO(raw).readline)[0]
            except SyntaxError as e:
                raise UnreadableSource(str(e)) from e
        if self.encoding in ("utf-8", "utf-8-sig"):
            self.data = self._with_line_feeds(body)
            return
        try:
            data = body.decode(self.encoding, "surrogateescape").encode("utf-8", "surrogateescape")
        except (UnicodeError, LookupError) as e:
            raise UnreadableSource(f"cannot decode as {self.encoding}: {e}") from e
        self.data = self._with_line_feeds(data)
        try:
            self.faithful = self.encoded(self.data) == raw
        except UnicodeError:
            self.faithful = False

    def _with_line_feeds(self, data: bytes) -> bytes:
        returns = data.count(b"\r")
        if returns:
            feeds = data.count(b"\n")
            if not feeds:
                self.line_end = b"\r"
            elif returns == feeds == data.count(b"\r\n"):
                self.line_end = b"\r\n"
            return data.replace(self.line_end, b"\n")
        return data

    def with_line_ends(self, data: bytes) -> bytes:
        """``data`` with the line ends that the file has on disk."""
        return data if self.line_end == b"\n" else data.replace(b"\n", self.line_end)

    def encoded(self, data: bytes) -> bytes:
        """``data`` in the encoding, with the line ends and the byte order mark that the file had."""
        data = self.with_line_ends(data)
        if self.encoding not in ("utf-8", "utf-8-sig"):
            data = data.decode("utf-8", "surrogateescape").encode(self.encoding, "surrogateescape")
        return self.mark + data

    @cached_property
    def line_starts(self) -> list[int]:
        """Byte offset of the start of each line; row r (1-based) starts at ``line_starts[r - 1]``."""
        lines = self.data.splitlines(keepends=True)
        starts = [0, *accumulate(map(len, lines))]
        if lines and not lines[-1].endswith((b"\n", b"\r")):
            starts.pop()  # no line starts behind the end
        return starts

    @cached_property
    def newline(self) -> str:
        """The line end this file uses (that of its first line)."""
        first = _NEWLINE.search(self.data)
        return first.group().decode() if first else "\n"

    def offset(self, row: int, byte_column: int) -> int:
        """Byte offset of a 1-based row and a 0-based byte column, as ``ast`` gives them."""
        return self.line_starts[row - 1] + byte_column

    def position(self, offset: int) -> tuple[int, int]:
        """1-based row and 1-based character column of a byte offset."""
        row = bisect_right(self.line_starts, offset)
        start = self.line_starts[row - 1]
        if self._ascii:
            return row, offset - start + 1
        return row, len(self.data[start:offset].decode("utf-8", "replace")) + 1

    @cached_property
    def _ascii(self) -> bool:
        """Whether bytes are characters: a line of a megabyte need not be decoded for every place on it."""
        return self.data.isascii()

    def line(self, row: int) -> str:
        """Text of a 1-based row without its line end."""
        start = self.line_starts[row - 1]
        end = self.line_starts[row] if row < len(self.line_starts) else len(self.data)
        return self.data[start:end].decode("utf-8", "replace").rstrip("\r\n")

    def text(self, start: int, end: int) -> str:
        """Text between two byte offsets."""
        return self.data[start:end].decode("utf-8", "surrogateescape")
