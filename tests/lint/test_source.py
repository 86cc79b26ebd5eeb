"""Bytes in, the same bytes out, whatever encoding, BOM and line ends a file has."""

from __future__ import annotations

import pytest
from amdlint.lint.source import Source, UnreadableSource

SAMPLES = {
    "plain": b"a = 1\n",
    "bom": b"\xef\xbb\xbfa = 1\n",
    "crlf": b"a = 1\r\nb = 2\r\n",
    "old mac": b"a = 1\rb = 2\r",
    "no final newline": b"a = 1",
    "empty": b"",
    "invalid utf-8": b"a = 1  # \xff\xfe caf\xe9\n",
    "latin-1 cookie": "# -*- coding: latin-1 -*-\na = 'café'\n".encode("latin-1"),
    "gbk cookie": "# coding: gbk\na = '显卡'\n".encode("gbk"),
    "utf-16": "a = 1\n".encode("utf-16"),
}


@pytest.mark.parametrize("raw", SAMPLES.values(), ids=SAMPLES.keys())
def test_round_trip(raw: bytes) -> None:
    source = Source("x.py", raw, python=True)
    assert source.encoded(source.data) == raw


def test_data_is_utf8_whatever_the_file_is() -> None:
    assert Source("x.py", SAMPLES["gbk cookie"], python=True).data.decode() == "# coding: gbk\na = '显卡'\n"


def test_unknown_cookie_is_reported() -> None:
    with pytest.raises(UnreadableSource, match="klingon"):
        Source("x.py", b"# coding: klingon\n", python=True)


def test_positions_count_characters_not_bytes() -> None:
    source = Source("x.py", "é = '显卡'; b\r\nsecond\rthird\n".encode())
    assert source.position(source.data.index(b"b\r")) == (1, 11)
    assert source.position(source.data.index(b"second")) == (2, 1)
    assert source.position(source.data.index(b"third") + 2) == (3, 3)
    assert [source.line(r) for r in (1, 2, 3)] == ["é = '显卡'; b", "second", "third"]
    assert source.newline == "\r\n"
