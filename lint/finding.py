"""What a rule reports: findings, and fixes made of edits.

All positions are byte offsets into ``Source.data`` (UTF-8, without BOM): the unit that ``ast``
column offsets and tree-sitter share. Reports turn them into rows and columns.
"""

from __future__ import annotations

import msgspec

from ..kb.model import Applicability


class Edit(msgspec.Struct, frozen=True, order=True, array_like=True, tag=True):
    """Replace the bytes ``[start, end)`` by ``content``; ``start == end`` inserts."""

    start: int
    end: int
    content: str


class Move(Edit, frozen=True, order=True, array_like=True, tag=True):
    """Put the Python statement at ``[start, end)``, up to the end of its line, under ``if test:``, and ``otherwise`` into the else branch.

    A recipe: ``python.restructure`` writes it when the fix is really applied or shown. ``indent`` is the
    white space before the statement, ``step`` one more level of it.
    """

    content: str = ""
    test: str = ""
    indent: str = ""
    step: str = "    "
    otherwise: str = ""


class Fix(msgspec.Struct, frozen=True, array_like=True):
    """A rewrite: all edits of a fix apply together or not at all.

    ``message`` says what the fix does in a few words ("keep the branch for NVIDIA").
    ``reason`` is required for unsafe fixes: what could change for an NVIDIA user.
    ``paste`` holds code for a human when the level is display.
    ``imports`` are Python import statements that the rewritten code needs ("import torch");
    the engine adds each once per file. ``helpers`` names helper functions of
    ``python/helpers.py`` (or macros of the native compatibility header) that the engine inserts once per file.
    ``late`` fixes wait until the others of the file are made: after them other rules see other code.
    """

    applicability: Applicability
    message: str
    edits: tuple[Edit | Move, ...] = ()
    reason: str = ""
    paste: str = ""
    imports: tuple[str, ...] = ()
    helpers: tuple[str, ...] = ()
    late: bool = False


class Finding(msgspec.Struct, frozen=True, array_like=True):
    """One place where one entry applies. Prose, severity and links come from the entry.

    ``detail`` says what happens at this very place in one line ("true on every Instinct card:
    gfx90a answers 9.0"). ``targets`` lists the gfx targets or families that are hit (empty: all);
    ``severity`` overrides the entry's only where the place decides it (a note instead of an error).
    """

    code: str
    start: int
    end: int
    detail: str = ""
    fix: Fix | None = None
    targets: tuple[str, ...] = ()
    severity: str | None = None
    cell: int | None = None
