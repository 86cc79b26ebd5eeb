"""Where the comments of a file are: a mark in a comment counts, a mention in a string does not."""

from __future__ import annotations

import io
import re
import tokenize

from ..kb.model import Language
from .source import Source

_NATIVE = re.compile(
    rb"""//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""",
    re.DOTALL,
)
_HASH = re.compile(rb"""(?:^|(?<=[\s;]))#[^\n]*|"(?:\\.|[^"\\\n])*"|'[^'\n]*'""", re.MULTILINE)


def spans(source: Source, language: Language) -> list[tuple[int, int]]:
    """Byte spans of the comments, in order. A Python file that does not tokenize has none."""
    if language == "python":
        return _python(source)
    if language == "native":
        return [m.span() for m in _NATIVE.finditer(source.data) if m.group().startswith((b"//", b"/*"))]
    if source.path.suffix.lower() == ".json":
        return []
    return [m.span() for m in _HASH.finditer(source.data) if m.group().startswith(b"#")]


def _python(source: Source) -> list[tuple[int, int]]:
    found = []
    try:
        # As text: the coding line of the file may still name the encoding that it had on disk.
        for token in tokenize.generate_tokens(io.StringIO(source.data.decode("utf-8", "replace")).readline):
            if token.type == tokenize.COMMENT:
                row, column = token.start
                start = source.offset(row, len(source.line(row)[:column].encode("utf-8", "replace")))
                found.append((start, start + len(token.string.encode("utf-8", "replace"))))
    except (tokenize.TokenError, SyntaxError, UnicodeDecodeError):
        return []
    return found
