"""Jupyter notebooks: each code cell is a small Python file whose lines map back to the notebook."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from .finding import Finding
from .source import Source, UnreadableSource

if TYPE_CHECKING:
    from .fix import Result
    from .repo import Repo
    from .settings import Settings

_MAGIC = re.compile(r"^([ \t]*)([%!?].*)$", re.MULTILINE)


class Cell(msgspec.Struct, frozen=True):
    """A code cell; ``index`` is its 1-based place among all cells of the notebook."""

    index: int
    source: Source


def cells(source: Source) -> Iterator[Cell]:
    """The code cells in order. IPython magics are blanked to comments of the same length."""
    for index, cell in enumerate(_document(source)["cells"], 1):
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        text = _text(cell)
        if text.lstrip().startswith("%%") and not text.lstrip().startswith(("%%time", "%%capture")):
            continue
        yield Cell(index, Source(source.path, _python(text).encode("utf-8", "surrogatepass")))


def _document(source: Source) -> dict[str, Any]:
    try:
        document = json.loads(source.data)
    except ValueError as e:
        raise UnreadableSource(f"not a notebook: {e}") from e
    if not isinstance(document, dict) or not isinstance(document.get("cells"), list):
        raise UnreadableSource("not a notebook of format 4: it has no list of cells")
    return document


def _text(cell: dict[str, Any]) -> str:
    text = cell.get("source", "")
    if isinstance(text, str):
        return text
    return "".join(map(str, text)) if isinstance(text, list) else ""


def _python(text: str) -> str:
    return _MAGIC.sub(lambda m: m[1] + "#" + m[2][1:], text)


def fix(source: Source, repo: Repo, settings: Settings, *, unsafe: bool) -> Result:
    """Fix the code cells of a notebook; only the JSON strings of changed lines are rewritten."""
    from . import fix as fixing

    result = fixing.Result(source, source.data)
    document = _document(source)
    changes: dict[int, str] = {}
    for index, cell in enumerate(document["cells"], 1):
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        text = _text(cell)
        inner = Source(source.path.with_suffix(".py"), _python(text).encode("utf-8", "surrogatepass"))
        if _python(text) != text or text.lstrip().startswith("%%"):
            continue  # rewriting beside magics would have to restore them; reported, not rewritten
        outcome = fixing.apply(inner, repo, settings, unsafe=unsafe)
        result.faults += outcome.faults
        result.dropped += [(_in_cell(f, index), why) for f, why in outcome.dropped]
        if outcome.changed:
            changes[index] = inner.with_line_ends(outcome.data).decode("utf-8", "surrogatepass")
            result.fixed += [_in_cell(f, index) for f in outcome.fixed]
    if changes:
        data = _rewritten(source, document, changes)
        if data is None:
            why = "something else in the notebook would change with the cell"
            result.dropped += [(f, why) for f in result.fixed]
            result.fixed = []
        else:
            result.data = data
    return result


def _rewritten(source: Source, document: dict[str, Any], changes: dict[int, str]) -> bytes | None:
    """The notebook with new texts in some cells; None when something else would change with them."""
    raw = source.data.decode("utf-8", "surrogateescape")
    array = dict(_members(raw, raw.index("{"))).get("cells")
    places = list(_items(raw, array[0])) if array else []
    for index, text in sorted(changes.items(), reverse=True):
        start, end = dict(_members(raw, places[index - 1][0]))["source"]
        raw = raw[:start] + _encode(text, raw[start:end]) + raw[end:]
        cell = document["cells"][index - 1]
        cell["source"] = text.splitlines(True) if isinstance(cell["source"], list) else text
    data = raw.encode("utf-8", "surrogateescape")
    return data if json.loads(data) == document else None


_DECODER = json.JSONDecoder()
_BETWEEN = re.compile(r"[\s,:]*")


def _members(raw: str, at: int) -> Iterator[tuple[str, tuple[int, int]]]:
    """Keys of the JSON object that starts at ``at``, with the spans of their values."""
    at += 1
    while raw[at := _skip(raw, at)] != "}":
        key, at = _DECODER.raw_decode(raw, at)
        start = _skip(raw, at)
        at = _DECODER.raw_decode(raw, start)[1]
        yield key, (start, at)


def _items(raw: str, at: int) -> Iterator[tuple[int, int]]:
    """Spans of the values in the JSON array that starts at ``at``."""
    at += 1
    while raw[start := _skip(raw, at)] != "]":
        at = _DECODER.raw_decode(raw, start)[1]
        yield start, at


def _skip(raw: str, at: int) -> int:
    found = _BETWEEN.match(raw, at)
    return found.end() if found else at


def _in_cell(finding: Finding, index: int) -> Finding:
    return msgspec.structs.replace(finding, cell=index)


def _encode(text: str, old_json: str) -> str:
    """``text`` as JSON in the layout of the value it replaces (a list of lines, or one string)."""
    ascii_only = old_json.isascii()
    if not old_json.startswith("["):
        return json.dumps(text, ensure_ascii=ascii_only)
    indent = re.match(r"\[(\s*)", old_json)
    between = indent[1] if indent else ""
    closing = re.search(r"(\s*)\]$", old_json)
    lines = [json.dumps(line, ensure_ascii=ascii_only) for line in text.splitlines(True)]
    return "[" + between + ("," + (between or " ")).join(lines) + (closing[1] if closing else "") + "]"
