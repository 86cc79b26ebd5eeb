"""Signatures as data for the paste box of the home page, which matches in the browser."""

from __future__ import annotations

import json
from typing import Any

from amdlint.kb import KnowledgeBase
from amdlint.kb.facts import expand_gfx
from amdlint.kb.model import Entry

ROLES = ("cause", "symptom", "hint")


def data(base: KnowledgeBase) -> str:
    """``[[code, title, address, gfx targets, [[pattern, is regex, role, needs AMD, beside, absent], ...]], ...]``."""
    return json.dumps(
        [_entry(e) for e in base if e.signatures and e.status != "retired"],
        ensure_ascii=False,
        separators=(",", ":"),
    )


def _entry(entry: Entry) -> list[Any]:
    wanted = entry.applies.gfx
    gfx = [] if wanted == "all" else sorted({g for name in wanted for g in expand_gfx(name)})
    signatures = [
        [
            s.text if s.text is not None else s.regex,
            int(s.text is None),
            ROLES.index(s.role),
            int(s.needs == "amd"),
            list(s.beside),
            list(s.absent),
        ]
        for s in entry.signatures
    ]
    return [entry.code, entry.title, f"entries/{entry.area}/{entry.slug}/", gfx, signatures]
