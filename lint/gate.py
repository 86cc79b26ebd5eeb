"""The integrity gate of the knowledge base: what must hold for every entry before it ships.

The test suite runs it over the built-in entries, ``amdlint kb check DIR`` over a user's. Examples are run
for real: logs through the matcher, code through the linter and the fixer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ..kb import match, store
from ..kb.model import Entry, Example
from ..kb.signature import regex_problems
from ..kb.store import BUILTIN, KnowledgeBase, Problem
from .commands import unknown_names
from .engine import check_text, fix_text, read
from .rules import all_rules
from .settings import Settings
from .source import UnreadableSource

DEFAULT_PATHS = {"python": "example.py", "native": "example.cu"}


def check_folder(folder: Path) -> tuple[int, list[Problem]]:
    """Validate the entries of a folder together with the built-in ones; how many there are, and what is wrong."""
    folders = (BUILTIN, folder)
    entries, problems = store.parse(folders)
    own = {file.stem for file in store.entry_files(folder)}
    files = {file.stem: file for file in store.entry_files(folder)}
    if not problems:
        base = KnowledgeBase(entries)
        problems += [p for p in store.dangling(entries, folders) if Path(p.path).stem in own]
        for entry in base:
            if entry.slug in own:
                problems += [
                    Problem(str(files[entry.slug]), 1, field, message)
                    for field, message in entry_problems(entry, base, (folder,))
                ]
    return len(own), sorted(problems)


def entry_problems(entry: Entry, base: KnowledgeBase, kb: tuple[Path, ...] = ()) -> Iterator[tuple[str, str]]:
    """(field path, what is wrong) for one entry: its rule, its commands, its examples.

    ``kb``: folders beside the built-in one.
    """
    yield from unknown_names(entry)
    rule = all_rules().get(entry.code)
    if (rule.language if rule else None) != entry.rule:
        have = f"a {rule.language} rule" if rule else "no rule"
        yield "rule", f"says {entry.rule}, but the linter has {have} for {entry.code}"
    if (
        entry.signatures
        and entry.status == "active"
        and not any(e.log and e.match != "never" for e in entry.examples)
    ):
        yield "examples", "an entry with signatures needs an example log that it answers"
    for number, pattern in enumerate(entry.patterns):
        for problem in regex_problems(pattern.regex):
            yield f"patterns[{number}].regex", problem
    if (entry.rule or entry.patterns) and not any(e.bad for e in entry.examples):
        yield "examples", "an entry with a rule needs an example of bad code"
    for number, example in enumerate(entry.examples):
        field = f"examples[{number}]"
        for problem in example_problems(entry, example, base, kb):
            yield field, problem


def example_problems(
    entry: Entry, example: Example, base: KnowledgeBase, kb: tuple[Path, ...] = ()
) -> list[str]:
    """What is wrong with one example, run for real."""
    if example.log is not None:
        return _log_problems(entry, example, base)
    path = example.path or DEFAULT_PATHS.get(entry.rule or ("python" if entry.patterns else ""))
    if path is None:
        return ["an example of a project file needs a path"]
    try:
        return _code_problems(entry, example, path, Settings(select=(entry.code,), kb=kb))
    except (SyntaxError, UnreadableSource) as e:
        return [f"{path} cannot be parsed: {e}"]


def _log_problems(entry: Entry, example: Example, base: KnowledgeBase) -> list[str]:
    found = [m.entry.code for m in match.explain(example.log or "", base).matches]
    if example.match == "never":
        return [f"{entry.code} must not answer this log, but does"] if entry.code in found else []
    if example.match == "first":
        return (
            []
            if found[:1] == [entry.code]
            else [f"must be answered by {entry.code}, is answered by {found or 'nothing'}"]
        )
    return (
        []
        if entry.code in found
        else [f"{entry.code} must be among the answers, which are {found or 'none'}"]
    )


def _code_problems(entry: Entry, example: Example, path: str, only: Settings) -> list[str]:
    if example.ok is not None:
        rows = _rows(path, example.ok, only)
        return [f"must be silent, but reports line {', '.join(map(str, rows))}"] if rows else []
    bad = example.bad or ""
    rows = _rows(path, bad, only)
    problems = []
    if not rows:
        problems.append("the rule reports nothing in the bad code")
    elif example.lines and sorted(set(rows)) != sorted(example.lines):
        problems.append(f"must report lines {list(example.lines)}, reports {sorted(set(rows))}")
    if example.fixed is not None:
        careful = fix_text(path, bad, only)
        fixed = fix_text(path, bad, only, unsafe=True)
        if fixed != example.fixed:
            problems.append(f"the fix gives\n{fixed}\ninstead of\n{example.fixed}")
        if example.fix == "unsafe" and careful != bad:
            problems.append("an unsafe fix is applied without --unsafe-fixes")
        if example.fix == "safe" and careful != fixed:
            problems.append("a safe fix is not applied by --fix alone")
        if fix_text(path, fixed, only, unsafe=True) != fixed:
            problems.append("a second run of the fix changes the text again")
    return problems


def _rows(path: str, text: str, only: Settings) -> list[int]:
    """1-based rows on which findings of the one selected code start."""
    source = read(Path(path), text.encode("utf-8"))
    return [source.position(f.start)[0] for f in check_text(path, text, only)]


def all_problems(base: KnowledgeBase, folders: Sequence[Path] = (BUILTIN,)) -> list[str]:
    """Everything wrong with the knowledge base, as ``slug: field: message`` lines."""
    lines = [str(p) for p in store.dangling(base.entries, folders)]
    lines += [f"{e.slug}: {field}: {message}" for e in base for field, message in entry_problems(e, base)]
    codes = {e.code for e in base}
    lines += [
        f"{r.module}: no entry has the code {code}" for code, r in all_rules().items() if code not in codes
    ]
    return lines
