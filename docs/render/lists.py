"""Lists of entries: all codes, one list for each area, and the navigation."""

from __future__ import annotations

import html
from typing import Any

from amdlint.kb import KnowledgeBase
from amdlint.kb.model import AREAS, Entry

from .entries import FOUND_IN, fix_level
from .prose import badge

INTRO = {
    "architecture": "Which GPU it is, what it can do, and code that asks for the wrong property.",
    "toolkit": "Compilers, build scripts and extensions.",
    "kernels": "Device code: wavefronts, masks, PTX, shared memory, Triton.",
    "communication": "RCCL, process groups, networks.",
    "numerics": "Number formats, precision and wrong results.",
    "libraries": "Python packages and the kernels they bring.",
    "environment": "Environment variables, containers, schedulers, Windows and WSL2.",
    "installation": "Drivers, wheels, versions that do not fit together.",
    "runtime": "Failures and memory trouble while a program runs.",
    "linter": "Messages about amdlint itself.",
}


def pages(base: KnowledgeBase) -> dict[str, str]:
    """Address in docs/ to Markdown."""
    found = {"entries/index.md": _all(base)}
    for area, heading in AREAS.items():
        members = [e for e in base if e.area == area]
        if members:
            found[f"entries/{area}/index.md"] = (
                f"---\ntitle: '{heading}'\nhide:\n  - toc\n---\n\n# {heading}\n\n{INTRO.get(area, '')}\n\n{_table(members, up='../../')}\n"
            )
    return found


def navigation(base: KnowledgeBase) -> list[Any]:
    """The areas with their entries, for mkdocs' nav."""
    parts: list[Any] = []
    for area, heading in AREAS.items():
        members = [e for e in base if e.area == area]
        if members:
            parts.append(
                {heading: [f"entries/{area}/index.md", *(f"entries/{area}/{e.slug}.md" for e in members)]}
            )
    return parts


def cards(base: KnowledgeBase) -> str:
    """The areas as links for the home page."""
    items = []
    for area, heading in AREAS.items():
        count = sum(1 for e in base if e.area == area)
        if count and area != "linter":
            items.append(
                f'<a href="entries/{area}/"><strong>{html.escape(heading)}</strong>'
                f"<small>{html.escape(INTRO[area])} {count} pages</small></a>"
            )
    return '<div class="areas" markdown="0">\n' + "\n".join(items) + "\n</div>"


def _all(base: KnowledgeBase) -> str:
    rules = sum(1 for e in base if e.rule)
    logs = sum(1 for e in base if e.signatures)
    return (
        "---\ntitle: All problems and codes\nhide:\n  - toc\n---\n\n# All problems and codes\n\n"
        f"{len(base)} problems: {rules} are found in code, {logs} are recognised in logs. "
        "A code never changes its meaning. Type a part of an error line or a package name to narrow the list.\n\n"
        f"{_table(list(base), up='../')}\n"
    )


def _table(members: list[Entry], up: str) -> str:
    rows = []
    for e in members:
        seen = []
        if e.rule:
            seen.append(FOUND_IN[e.rule])
        if e.signatures:
            seen.append("logs")
        level = fix_level(e) or ""
        rows.append(
            f'<tr><td><a href="{up}entries/{e.area}/{e.slug}/">{e.code}</a></td>'
            f'<td><a href="{up}entries/{e.area}/{e.slug}/">{html.escape(e.title)}</a></td>'
            f"<td>{badge(e.severity, e.severity)}</td><td>{', '.join(seen)}</td>"
            f"<td>{badge(level, f'fix-{level}') if level else ''}</td></tr>"
        )
    return (
        '<div class="filtered" markdown="0"><input class="filter" type="search" placeholder="Filter this table" aria-label="Filter this table">\n'
        '<div class="wide"><table class="facts entries"><thead><tr><th>Code</th><th>Problem</th><th>Severity</th><th>Seen in</th><th>Fix</th></tr></thead>\n<tbody>\n'
        + "\n".join(rows)
        + "\n</tbody></table></div></div>"
    )
