"""Declarative code patterns: entries that find their problem by a regular expression, without a rule."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator
from functools import lru_cache

from ..kb.model import CodePattern, Entry, Language
from ..kb.store import KnowledgeBase
from . import comments
from .finding import Finding
from .source import Source


@lru_cache(maxsize=4)
def _patterns(base: KnowledgeBase) -> tuple[tuple[Entry, CodePattern], ...]:
    entries = [base.by_code[h.code] for h in base.heads if h.has_patterns]
    return tuple((e, p) for e in entries for p in e.patterns)


def check(source: Source, language: Language, base: KnowledgeBase) -> Iterator[Finding]:
    """Findings of all patterns whose ``files`` fit this file's name."""
    hidden: list[tuple[int, int]] | None = None
    for entry, pattern in _patterns(base):
        if not any(fnmatch.fnmatch(source.path.name, glob) for glob in pattern.files):
            continue
        from ..kb.signature import compile_regex  # few entries have patterns: others pay nothing for it

        compiled = compile_regex(pattern.regex)
        if not any(literal.encode() in source.data for literal in compiled.literals):
            continue
        if hidden is None:
            hidden = comments.spans(source, language)
        for row, start in enumerate(source.line_starts, 1):
            line = source.line(row)
            if compiled.regex is None or not any(literal in line for literal in compiled.literals):
                continue
            for match in compiled.regex.finditer(line):
                first = start + len(line[: match.start()].encode("utf-8", "replace"))
                last = first + len(match.group().encode("utf-8", "replace"))
                if last > first and not any(a <= first < b for a, b in hidden):
                    yield Finding(entry.code, first, last, pattern.detail)
