"""Output formats. A report knows findings and entries, never rules.

Each format is a module with ``render(items, **options) -> str``; ``Item`` is a finding with everything
resolved that a format may show.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from ...kb.model import Severity
from ...kb.translation import translated
from .. import engine
from ..finding import Edit, Fix
from ..run import Outcome, severity
from ..settings import Settings
from ..source import Source, UnreadableSource

FORMATS = ("text", "json", "json-lines", "sarif", "github", "gitlab", "junit", "markdown")


class Place(msgspec.Struct, frozen=True):
    """A 1-based row and a 1-based character column."""

    row: int
    column: int


class PlacedEdit(msgspec.Struct, frozen=True):
    content: str
    start: Place
    end: Place


class Item(msgspec.Struct, frozen=True):
    """One finding, resolved. ``line`` is the text of its first row."""

    path: Path
    code: str
    slug: str
    title: str
    severity: Severity
    detail: str
    start: Place
    end: Place
    line: str
    fix: Fix | None
    edits: tuple[PlacedEdit, ...]
    url: str
    cell: int | None
    targets: tuple[str, ...]

    @property
    def message(self) -> str:
        """Title and what happens at this place, in one line."""
        return f"{self.title}: {self.detail}" if self.detail else self.title

    @property
    def fixable(self) -> bool:
        fix = self.fix
        return fix is not None and fix.applicability != "display" and bool(fix.edits or fix.helpers)


def items(
    outcome: Outcome,
    settings: Settings,
    *,
    edits: bool = True,
    raw: Mapping[Path, bytes] | None = None,
    lang: str = "en",
) -> list[Item]:
    """All findings of a run, resolved, in file order.

    Without ``edits`` the places of the fixes' edits are left out; ``raw`` gives texts that are not on disk;
    ``lang`` is the language of the titles.
    """
    entries = engine.knowledge(settings.kb).by_code
    resolved = []
    for report in outcome.reports:
        if not report.findings:
            continue
        try:
            whole = engine.read(report.path, raw[report.path] if raw else report.path.read_bytes())
            cells = _cells(whole) if report.path.suffix == ".ipynb" else {}
        except (OSError, UnreadableSource):
            continue  # gone or changed since it was read
        for finding in report.findings:
            source = cells.get(finding.cell, whole) if finding.cell else whole
            entry = entries.get(finding.code)
            start = Place(*source.position(finding.start))
            resolved.append(
                Item(
                    path=report.path,
                    code=finding.code,
                    slug=entry.slug if entry else "",
                    title=translated(entry, lang).title if entry else finding.code,
                    severity=severity(finding, settings),
                    detail=finding.detail,
                    start=start,
                    end=Place(*source.position(finding.end)),
                    line=source.line(start.row),
                    fix=finding.fix,
                    edits=_placed(source, finding.fix) if edits and finding.fix else (),
                    url=entry.url if entry else "",
                    cell=finding.cell,
                    targets=finding.targets,
                )
            )
    return resolved


def _cells(whole: Source) -> dict[int, Source]:
    from .. import notebook

    return {cell.index: cell.source for cell in notebook.cells(whole)}


def _placed(source: Source, fix: Fix) -> tuple[PlacedEdit, ...]:
    from ..fix import complete

    def place(edit: Edit) -> PlacedEdit:
        return PlacedEdit(
            edit.content, Place(*source.position(edit.start)), Place(*source.position(edit.end))
        )

    return tuple(place(e) for e in sorted(complete(source, [fix])))


def render(name: str, found: Sequence[Item], **options: object) -> str:
    """The findings in a format of FORMATS."""
    module = importlib.import_module(f".{name.replace('-', '_')}", __package__)
    text: str = module.render(found, **options)
    return text


def plural(number: int, word: str) -> str:
    return f"{number} {word}" + ("" if number == 1 else "s")


def statistics(found: Iterable[Item]) -> list[tuple[int, str, str, int]]:
    """(count, code, title, how many have a fix) per code, the most frequent first."""
    table: dict[str, tuple[int, str, int]] = {}
    for item in found:
        count, _, fixable = table.get(item.code, (0, "", 0))
        table[item.code] = (count + 1, item.title, fixable + item.fixable)
    return sorted(
        ((n, code, title, fixable) for code, (n, title, fixable) in table.items()),
        key=lambda r: (-r[0], r[1]),
    )
