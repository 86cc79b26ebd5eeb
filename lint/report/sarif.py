"""SARIF 2.1.0, as code-scanning services read it."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

from ..version import VERSION
from . import Item, Place, PlacedEdit

_LEVEL = {"error": "error", "warning": "warning", "note": "note"}


def render(found: Sequence[Item], **_: object) -> str:
    codes = list(dict.fromkeys(i.code for i in found))
    first = {code: next(i for i in found if i.code == code) for code in codes}
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "amdlint",
                        "version": VERSION,
                        "informationUri": "https://amdlint.github.io/amdlint/",
                        "rules": [
                            {
                                "id": code,
                                "name": first[code].slug,
                                "shortDescription": {"text": first[code].title},
                                "helpUri": first[code].url,
                            }
                            for code in codes
                        ],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(i, codes.index(i.code)) for i in found],
            }
        ],
    }
    return json.dumps(log, indent=2, ensure_ascii=False)


def _uri(item: Item) -> str:
    relative = os.path.relpath(item.path).replace(os.sep, "/")
    return item.path.absolute().as_uri() if relative.startswith("..") else relative


def _region(start: Place, end: Place) -> dict[str, int]:
    return {"startLine": start.row, "startColumn": start.column, "endLine": end.row, "endColumn": end.column}


def _result(item: Item, index: int) -> dict[str, Any]:
    location = {"artifactLocation": {"uri": _uri(item)}, "region": _region(item.start, item.end)}
    result: dict[str, Any] = {
        "ruleId": item.code,
        "ruleIndex": index,
        "level": _LEVEL[item.severity],
        "message": {"text": item.message},
        "locations": [{"physicalLocation": location}],
    }
    if item.fixable and item.fix and item.cell is None:
        result["fixes"] = [
            {
                "description": {"text": f"{item.fix.message} ({item.fix.applicability})"},
                "artifactChanges": [
                    {
                        "artifactLocation": {"uri": _uri(item)},
                        "replacements": [_replacement(e) for e in item.edits],
                    }
                ],
            }
        ]
    return result


def _replacement(edit: PlacedEdit) -> dict[str, Any]:
    return {"deletedRegion": _region(edit.start, edit.end), "insertedContent": {"text": edit.content}}
