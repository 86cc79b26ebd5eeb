"""Read the strings of a TOML file with the table and key under which they stand, and their byte spans."""

from __future__ import annotations

import re
from dataclasses import dataclass

_HEADER = re.compile(r"[ \t]*\[\[?[ \t]*([^\]\n#]+?)[ \t]*\]\]?[ \t]*(?:#.*)?$", re.MULTILINE)
_KEY = re.compile(r"""[ \t]*((?:[\w-]+|"[^"\n]*"|'[^'\n]*')(?:[ \t]*\.[ \t]*(?:[\w-]+|"[^"\n]*"))*)[ \t]*=""")
_INNER_KEY = re.compile(r"""([\w-]+|"[^"\n]*")[ \t]*=[ \t]*$""")


@dataclass(frozen=True, slots=True)
class TomlString:
    """One string value. ``start`` and ``end`` lie inside the quotes."""

    table: str
    key: str
    inner: str
    value: str
    start: int
    end: int
    key_start: int
    key_end: int


def strings(text: str) -> list[TomlString]:
    """All string values in file order; ``inner`` is the key inside an inline table."""
    found: list[TomlString] = []
    table = key = ""
    key_start = key_end = 0
    at, depth = 0, 0
    while at < len(text):
        if depth == 0 and (at == 0 or text[at - 1] == "\n"):
            header = _HEADER.match(text, at)
            if header:
                table = re.sub(r"[\"'\s]", "", header[1])
                at = header.end()
                continue
            match = _KEY.match(text, at)
            if match:
                key = re.sub(r"[\"'\s]", "", match[1])
                key_start, key_end = match.start(1), match.end(1)
                at = match.end()
                continue
        c = text[at]
        if c == "#":
            stop = text.find("\n", at)
            at = len(text) if stop < 0 else stop
        elif c in "\"'":
            triple = text[at : at + 3] if text[at : at + 3] in ('"""', "'''") else ""
            opener = triple or c
            begin = at + len(opener)
            end = begin
            while end < len(text) and not text.startswith(opener, end):
                if text[end] == "\n" and not triple:
                    break
                end += 2 if text[end] == "\\" and c == '"' else 1
            end = min(end, len(text))
            line = max(text.rfind("\n", 0, at), key_end - 1)
            inner = _INNER_KEY.search(text, line + 1, at)
            after = text[end + len(opener) : end + len(opener) + 8].lstrip(" \t")
            if not (depth > 0 and after.startswith("=")):
                found.append(
                    TomlString(
                        table,
                        key,
                        inner[1].strip('"') if inner else "",
                        text[begin:end],
                        begin,
                        end,
                        key_start,
                        key_end,
                    )
                )
            at = end + len(opener)
        else:
            depth += (c in "[{") - (c in "]}")
            depth = max(depth, 0)
            at += 1
    return found
