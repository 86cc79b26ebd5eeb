"""JSON in the shape that ruff's users know."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from . import Item, Place


def place(p: Place) -> dict[str, int]:
    return {"row": p.row, "column": p.column}


def record(item: Item) -> dict[str, Any]:
    """One finding as plain data."""
    fix = None
    if item.fix:
        fix = {
            "applicability": item.fix.applicability,
            "message": item.fix.message,
            "edits": [
                {"content": e.content, "location": place(e.start), "end_location": place(e.end)}
                for e in item.edits
            ],
        }
        if item.fix.reason:
            fix["reason"] = item.fix.reason
        if item.fix.paste:
            fix["paste"] = item.fix.paste
    return {
        "code": item.code,
        "slug": item.slug,
        "severity": item.severity,
        "message": item.message,
        "filename": str(item.path.absolute()),
        "location": place(item.start),
        "end_location": place(item.end),
        "fix": fix,
        "url": item.url,
        "cell": item.cell,
        "targets": list(item.targets),
    }


def render(found: Sequence[Item], **_: object) -> str:
    return json.dumps([record(i) for i in found], indent=2, ensure_ascii=False)
