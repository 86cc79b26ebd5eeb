"""Jupyter notebooks: each code cell is a small Python file whose lines map back to the notebook."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from .finding import Finding
from .source import Source, UnreadableSource

if TYPE_CHECKING:
    from .fix import Result
    from .repo import Repo
    from .settings import Settings

_MAGIC = re.compile(r"^([ \t]*)([%!?].*)$", re.MULTILINE)


@dataclass(frozen=True)
class Cell:
    """A code cell; ``index`` is its 1-based place among all cells of the notebook."""

    index: int
    source: Source


def cells(source: Source) -> Iterator[Cell]:
    """The code cells in order. IPython magics are blanked to comments of the same length."""
    for index, cell in enumerate(_document(source)["cells"], 1):
        if cell.get("cell_type") != "code":
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
    return text if isinstance(text, str) else "".join(map(str, text))


def _python(text: str) -> str:
    return _MAGIC.sub(lambda m: m[1] + "#" + m[2][1:], text)


def fix(source: Source, repo: Repo, settings: Settings, *, unsafe: bool) -> Result:
    """Fix the code cells of a notebook; only the JSON strings of changed lines are rewritten."""
    from . import fix as fixing

    result = fixing.Result(source, source.data)
    document = _document(source)
    raw = source.data.decode("utf-8", "surrogateescape")
    at = 0
    for index, cell in enumerate(document["cells"], 1):
        if cell.get("cell_type") != "code":
            continue
        text = _text(cell)
        inner = Source(source.path.with_suffix(".py"), _python(text).encode("utf-8", "surrogatepass"))
        if _python(text) != text or text.lstrip().startswith("%%"):
            continue  # rewriting beside magics would have to restore them; reported, not rewritten
        outcome = fixing.apply(inner, repo, settings, unsafe=unsafe)
        result.faults += outcome.faults
        if not outcome.changed:
            continue
        new = inner.with_line_ends(outcome.data).decode("utf-8", "surrogatepass")
        old_json, at = _locate(raw, cell["source"], at)
        if old_json is None:
            continue
        raw = raw[:at] + _encode(new, old_json) + raw[at + len(old_json) :]
        result.fixed += [_in_cell(f, index) for f in outcome.fixed]
    result.data = raw.encode("utf-8", "surrogateescape")
    return result


def _in_cell(finding: Finding, index: int) -> Finding:
    return replace(finding, cell=index)


def _locate(raw: str, value: str | list[str], start: int) -> tuple[str | None, int]:
    """The JSON text of a cell's ``source`` and where it stands, searching from ``start``."""
    decoder = json.JSONDecoder()
    for match in re.compile(r'"source"\s*:\s*').finditer(raw, start):
        try:
            found, end = decoder.raw_decode(raw, match.end())
        except ValueError:
            continue
        if found == value:
            return raw[match.end() : end], match.end()
    return None, start


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
