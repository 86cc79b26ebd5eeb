"""``# noqa: AMD1001`` and its twins in the comment syntax of every file type.

A suppression without codes silences every finding of its line, as other linters read it. Only those
that name AMD codes can be reported as unused: the others belong to other tools as well.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ..kb.model import Language
from . import comments
from .source import Source

if TYPE_CHECKING:
    from .report import Item

_NOQA = re.compile(
    rb"(?P<lead>(?:#|//|/\*|<!--)[ \t]*)(?P<file>amdlint:[ \t]*)?noqa(?P<codes>[ \t]*:[ \t]*[A-Z]{1,8}[0-9]+(?:[ \t]*,?[ \t]*[A-Z]{1,8}[0-9]+)*)?(?![\w:-])",
    re.IGNORECASE,
)
_CODE = re.compile(rb"[A-Z]{1,8}[0-9]+", re.IGNORECASE)


class Suppression(msgspec.Struct):
    """One noqa comment: the row it stands on, its byte span, and the codes it names (empty: all)."""

    row: int
    start: int
    end: int
    codes: tuple[str, ...]
    whole_file: bool = False
    used: set[str] = set()

    def covers(self, code: str, first_row: int, last_row: int) -> bool:
        """Whether a finding of ``code`` on these rows is silenced."""
        if not self.whole_file and not first_row <= self.row <= last_row:
            return False
        return not self.codes or code in self.codes


def suppressions(
    source: Source, language: Language, rows: Collection[int] | None = None
) -> list[Suppression]:
    """The noqa comments of a file; text in strings is none.

    With ``rows`` only those that can matter to findings on these rows: marks there, marks for the whole file,
    and marks that name AMD codes. Telling a comment from a string means reading the whole file, which most
    files are spared so.
    """
    if b"noqa" not in source.data and b"NOQA" not in source.data:
        return []
    found = []
    for match in _NOQA.finditer(source.data):
        row = source.position(match.start())[0]
        codes = tuple(c.decode().upper() for c in _CODE.findall(match["codes"] or b""))
        ours = match["file"] or any(c.startswith("AMD") for c in codes)
        if rows is None or ours or row in rows:
            found.append(Suppression(row, match.start(), match.end(), codes, whole_file=bool(match["file"])))
    if found:
        written = comments.spans(source, language)
        found = [s for s in found if any(start <= s.start < end for start, end in written)]
    return found


_COMMENT = {"native": ("// ", ""), "python": ("# ", ""), "project": ("# ", "")}
_NO_COMMENTS = frozenset({".json", ".ipynb", ".lock"})


def add(items: Sequence[Item]) -> tuple[int, list[tuple[Path, str]]]:
    """Write a noqa comment on the line of every item; returns how many, and the files left alone with the reason.

    Lines that end in a backslash, or files whose syntax has no comments, are left alone.
    """
    from .discover import language_of
    from .engine import read
    from .fix import write_atomically

    added, refused = 0, []
    for path in dict.fromkeys(i.path for i in items):
        here = [i for i in items if i.path == path]
        language = language_of(path)
        if path.suffix in _NO_COMMENTS or language is None:
            refused.append((path, "this file type has no comments to hold a noqa"))
            continue
        source = read(path, path.read_bytes())
        codes: dict[int, set[str]] = {}
        for item in here:
            codes.setdefault(item.end.row if language == "python" else item.start.row, set()).add(item.code)
        data = source.data
        existing = {s.row: s for s in suppressions(source, language)}
        for row in sorted(codes, reverse=True):
            text = source.line(row)
            if text.rstrip().endswith("\\"):
                refused.append(
                    (path, f"line {row} is continued with a backslash, which a comment would break")
                )
                continue
            if row in existing:
                mark = existing[row]
                if not mark.codes:
                    continue
                names = ", ".join([*mark.codes, *sorted(codes[row] - set(mark.codes))])
                head = source.text(mark.start, mark.end).split(":")[0]
                data = data[: mark.start] + f"{head}: {names}".encode() + data[mark.end :]
            else:
                at = source.line_starts[row - 1] + len(text.rstrip().encode("utf-8", "replace"))
                lead, tail = _COMMENT[language]
                data = data[:at] + f"  {lead}noqa: {', '.join(sorted(codes[row]))}{tail}".encode() + data[at:]
            added += len(codes[row])
        if data != source.data:
            write_atomically(path, source.encoded(data))
    return added, refused


def unused(found: list[Suppression]) -> Iterator[tuple[Suppression, tuple[str, ...]]]:
    """Suppressions that name AMD codes which silenced nothing, with those codes."""
    for suppression in found:
        idle = tuple(c for c in suppression.codes if c.startswith("AMD") and c not in suppression.used)
        if idle:
            yield suppression, idle
