"""A file as amdlint reads it: bytes in, the same bytes out, offsets in UTF-8 in between."""

from __future__ import annotations

import codecs
import io
import re
import tokenize
from bisect import bisect_right
from functools import cached_property
from pathlib import Path

_NEWLINE = re.compile(rb"\r\n|\r|\n")
UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class UnreadableSource(Exception):
    """The file cannot be read as text; the message says why."""


class Source:
    """One file (or one piece of a file, such as a notebook cell).

    ``data`` is UTF-8 without BOM; bytes that are not valid in the file's encoding survive a
    round trip. ``encoded`` turns (edited) data back into what belongs on disk.
    """

    def __init__(self, path: str | Path, raw: bytes, *, python: bool = False) -> None:
        self.path = Path(path)
        self.encoding = "utf-8"
        self.bom = raw.startswith(codecs.BOM_UTF8)
        if self.bom:
            raw = raw[3:]
        elif raw.startswith(UTF16):
            self.encoding = "utf-16"
        elif python and b"coding" in raw[:400]:
            try:
                self.encoding = tokenize.detect_encoding(io.BytesIO(raw).readline)[0]
            except SyntaxError as e:
                raise UnreadableSource(str(e)) from e
        if self.encoding in ("utf-8", "utf-8-sig"):
            self.data = raw
        else:
            try:
                self.data = raw.decode(self.encoding, "surrogateescape").encode("utf-8", "surrogateescape")
            except (UnicodeError, LookupError) as e:
                raise UnreadableSource(f"cannot decode as {self.encoding}: {e}") from e

    def encoded(self, data: bytes) -> bytes:
        """``data`` in the encoding and with the byte order mark that the file had."""
        if self.encoding not in ("utf-8", "utf-8-sig"):
            data = data.decode("utf-8", "surrogateescape").encode(self.encoding, "surrogateescape")
        return codecs.BOM_UTF8 + data if self.bom else data

    @cached_property
    def line_starts(self) -> list[int]:
        """Byte offset of the start of each line; row r (1-based) starts at ``line_starts[r - 1]``."""
        return [0, *(m.end() for m in _NEWLINE.finditer(self.data))]

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
        return row, len(self.data[start:offset].decode("utf-8", "replace")) + 1

    def line(self, row: int) -> str:
        """Text of a 1-based row without its line end."""
        start = self.line_starts[row - 1]
        end = self.line_starts[row] if row < len(self.line_starts) else len(self.data)
        return self.data[start:end].decode("utf-8", "replace").rstrip("\r\n")

    def text(self, start: int, end: int) -> str:
        """Text between two byte offsets."""
        return self.data[start:end].decode("utf-8", "surrogateescape")
