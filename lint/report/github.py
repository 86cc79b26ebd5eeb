"""GitHub Actions workflow commands: findings appear as annotations on the pull request."""

from __future__ import annotations

from collections.abc import Sequence

from . import Item

_LEVEL = {"error": "error", "warning": "warning", "note": "notice"}


def render(found: Sequence[Item], **_: object) -> str:
    return "\n".join(map(_command, found))


def _command(item: Item) -> str:
    values = {
        "title": f"amdlint ({item.code})",
        "file": item.path.as_posix(),
        "line": item.start.row,
        "col": item.start.column,
        "endLine": item.end.row,
        "endColumn": item.end.column,
    }
    properties = ",".join(f"{k}={_escape(str(v), properties=True)}" for k, v in values.items())
    return f"::{_LEVEL[item.severity]} {properties}::{_escape(f'{item.code} {item.message}')}"


def _escape(text: str, *, properties: bool = False) -> str:
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if properties else text
