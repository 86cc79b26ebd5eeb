"""Check one file: prefilter, parse by language, run the rules, drop what is suppressed or out of range."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ..kb.model import Language
from ..kb.store import KnowledgeBase, load
from . import patterns, suppress
from .discover import language_of
from .finding import Edit, Finding, Fix
from .repo import Repo
from .rules import Fault, Rule, all_rules
from .settings import Settings
from .source import Source, UnreadableSource

if TYPE_CHECKING:
    from . import notebook

UNUSED_SUPPRESSION = "AMD0001"

EMBEDDING = frozenset(
    (
        b"load_inline",
        b"RawKernel",
        b"RawModule",
        b"SourceModule",
        b"nvrtcCreateProgram",
        b"cuda_sources",
        b"_Program",
    )
)
"""Words of which one stands in every Python file that holds CUDA text."""

_WORDS = bytes(c if (chr(c).isalnum() and c < 128) or c == 95 else 32 for c in range(256))


class Report(msgspec.Struct):
    """What checking one file gave. ``error`` says why it could not be read or parsed."""

    path: Path
    findings: list[Finding] = []
    error: str | None = None
    asked_repo: bool = False
    """Whether the answer depends on other files of the repository."""
    faults: list[Fault] = []
    """Rules that broke down on this file."""


class InternalError(Exception):
    """A rule raised an exception: a bug of amdlint, whatever the file says."""


def words(data: bytes) -> set[bytes]:
    """All words ``[A-Za-z0-9_]+`` of a file: what rule triggers are compared with."""
    return set(data.translate(_WORDS).split())


@lru_cache(maxsize=8)
def _triggers(language: Language) -> dict[bytes, tuple[Rule, ...]]:
    table: dict[bytes, list[Rule]] = {}
    for rule in all_rules().values():
        if rule.language == language:
            for word in rule.triggers:
                table.setdefault(word.encode(), []).append(rule)
    return {word: tuple(rules) for word, rules in table.items()}


@lru_cache(maxsize=4)
def knowledge(folders: tuple[Path, ...] = ()) -> KnowledgeBase:
    """The knowledge base, loaded once per process."""
    return load(folders)


def wanted(code: str, settings: Settings) -> bool:
    """Whether the selection reports this code; the longer prefix wins, as in other linters."""
    chosen = max(
        (len(p) for p in settings.select if code.startswith(p)), default=-1 if settings.select else 0
    )
    ignored = max((len(p) for p in settings.ignore if code.startswith(p)), default=-1)
    return chosen > ignored


def _embeds(data: bytes) -> bool:
    """Whether a Python file may hold CUDA text; a look for the letters is cheaper than taking the words apart."""
    return any(word in data for word in EMBEDDING) and not EMBEDDING.isdisjoint(words(data))


def rules_for(data: bytes, language: Language, settings: Settings) -> list[Rule]:
    """The rules that can find something in these bytes, in code order."""
    table = _triggers(language)
    hit = {rule.code: rule for word in words(data) & table.keys() for rule in table[word]}
    return [hit[code] for code in sorted(hit) if wanted(code, settings)]


def read(path: Path, raw: bytes) -> Source:
    """The file as a Source; raises UnreadableSource with the reason."""
    if b"\0" in raw[:8192] and not raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UnreadableSource("binary file")
    return Source(path, raw, python=path.suffix in (".py", ".pyi"))


def check(source: Source, repo: Repo, settings: Settings, *, prefilter: bool = True) -> Report:
    """All findings of one file, ordered by place and code."""
    report = Report(source.path)
    language = language_of(source.path)
    if language is None:
        return report
    repo.asked = False
    try:
        if source.path.suffix == ".ipynb":
            from . import notebook

            for cell in notebook.cells(source):
                report.findings += _check_cell(cell, repo, settings, report.faults)
        else:
            report.findings = _check_source(
                source, language, repo, settings, report.faults, prefilter=prefilter
            )
    except (SyntaxError, UnreadableSource, RecursionError) as e:
        report.error = _parse_error(e)
    report.asked_repo = repo.asked
    report.findings.sort(key=lambda f: (f.cell or 0, f.start, f.code, f.end))
    return report


def _parse_error(e: BaseException) -> str:
    if isinstance(e, SyntaxError):
        return f"cannot be parsed as Python {sys.version_info[0]}.{sys.version_info[1]}: {e.msg} (line {e.lineno})"
    if isinstance(e, RecursionError):
        return "cannot be parsed: nested too deeply"
    return str(e)


def _check_cell(cell: notebook.Cell, repo: Repo, settings: Settings, faults: list[Fault]) -> list[Finding]:
    try:
        found = _check_source(cell.source, "python", repo, settings, faults)
    except SyntaxError:
        # A cell may hold a cell magic or an unfinished thought; the other cells are still read.
        return []
    return [msgspec.structs.replace(f, cell=cell.index) for f in found]


def _check_source(
    source: Source,
    language: Language,
    repo: Repo,
    settings: Settings,
    faults: list[Fault],
    *,
    prefilter: bool = True,
) -> list[Finding]:
    if prefilter:
        rules = rules_for(source.data, language, settings)
    else:
        rules = [r for r in all_rules().values() if r.language == language and wanted(r.code, settings)]
    findings: dict[tuple[str, int, int], Finding] = {}
    if rules:
        unit = _parse(source, language, repo, settings)
        for rule in rules:
            for finding in rule.findings(unit, faults):
                findings.setdefault((finding.code, finding.start, finding.end), finding)
        if language == "python":
            unit.release()
    for finding in patterns.check(source, language, knowledge(settings.kb)):
        findings.setdefault((finding.code, finding.start, finding.end), finding)
    if language == "python" and _embeds(source.data):
        from .native import embedded

        for finding in embedded.findings(source, repo, settings, faults):
            findings.setdefault((finding.code, finding.start, finding.end), finding)
    if language == "project" and b"--hash" in source.data:
        from .project.edits import keeping_hashes

        findings = {key: keeping_hashes(source, finding) for key, finding in findings.items()}
    rows = {key: _rows(source, finding) for key, finding in findings.items()}
    silenced = suppress.suppressions(source, language, {row for r in rows.values() for row in r})
    kept = []
    for key, finding in findings.items():
        hit = [s for s in silenced if s.covers(finding.code, rows[key][0], rows[key][-1])]
        for s in hit:
            s.used.add(finding.code)
        if not hit and wanted(finding.code, settings) and in_range(finding, settings):
            kept.append(finding)
    if silenced and wanted(UNUSED_SUPPRESSION, settings) and not settings.select:
        kept += _unused_suppressions(source, silenced, settings)
    return kept


def _rows(source: Source, finding: Finding) -> range:
    """The 1-based rows that a finding touches."""
    last = source.position(max(finding.start, finding.end - 1))[0]
    return range(source.position(finding.start)[0], last + 1)


def _parse(source: Source, language: Language, repo: Repo, settings: Settings) -> Any:
    if language == "python":
        from .python.module import Module

        return Module(source, repo, settings)
    if language == "native":
        from .native.unit import Unit

        return Unit(source, repo, settings)
    from .project.file import ProjectFile

    return ProjectFile(source, repo, settings)


def in_range(finding: Finding, settings: Settings) -> bool:
    """Whether the finding concerns the targets and versions that the user asked for."""
    entry = knowledge(settings.kb).by_code.get(finding.code)
    if settings.targets:
        from ..kb.facts import expand_gfx

        asked = frozenset().union(*map(expand_gfx, settings.targets))
        hit: Iterable[str] = finding.targets or (
            entry.applies.gfx if entry and entry.applies.gfx != "all" else ()
        )
        if hit and not asked & frozenset().union(*map(expand_gfx, hit)):
            return False
    if entry is None:
        return True
    return _holds(entry.applies.rocm, settings.rocm) and _holds(entry.applies.torch, settings.torch)


def _holds(specifier: str | None, version: str | None) -> bool:
    if not specifier or not version:
        return True
    from packaging.specifiers import SpecifierSet

    return SpecifierSet(specifier).contains(version, prereleases=True)


def _unused_suppressions(
    source: Source, found: list[suppress.Suppression], settings: Settings
) -> Iterable[Finding]:
    for s, codes in suppress.unused(found):
        idle = [c for c in codes if wanted(c, settings)]
        if not idle:
            continue
        left = [c for c in s.codes if c not in idle]
        if left:
            text = source.text(s.start, s.end)
            edit = Edit(s.start, s.end, text[: text.index(":") + 1] + " " + ", ".join(left))
        else:
            start = s.start
            while start > 0 and source.data[start - 1 : start] in (b" ", b"\t"):
                start -= 1
            rest = source.line(s.row).encode("utf-8", "replace")[s.end - source.line_starts[s.row - 1] :]
            if rest.strip() not in (b"", b"*/", b"-->"):
                start = s.start  # more comment text follows: keep the comment sign's place
                edit = Edit(
                    s.start,
                    s.end,
                    source.text(s.start, s.end)[
                        : len(source.text(s.start, s.end))
                        - len(source.text(s.start, s.end).lstrip("#/*<!- \t"))
                    ],
                )
            else:
                edit = Edit(start, s.end + len(rest.rstrip()), "")
        yield Finding(
            UNUSED_SUPPRESSION,
            s.start,
            s.end,
            detail=f"{', '.join(idle)} is not reported here",
            fix=Fix("safe", "remove the unused suppression", (edit,)),
        )


def check_text(path: str, text: str | bytes, settings: Settings | None = None) -> list[Finding]:
    """Findings in one text, as if it were the only file of a repository.

    Raises UnreadableSource when the text cannot be parsed, InternalError when a rule breaks down.
    """
    raw = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
    source = read(Path(path), raw)
    repo = Repo(Path("."), [source.path], {source.path: raw})
    report = check(source, repo, settings or Settings())
    if report.error:
        raise UnreadableSource(report.error)
    _raise(report.faults)
    return report.findings


def _raise(faults: Sequence[Fault]) -> None:
    if faults:
        raise InternalError("; ".join(f"{f.code}: {f.problem}" for f in faults))


def fix_text(path: str, text: str, settings: Settings | None = None, *, unsafe: bool = False) -> str:
    """The text after all fixes of the wanted level, each proved as ``fix.apply`` does."""
    from .fix import apply

    raw = text.encode("utf-8", "surrogateescape")
    source = read(Path(path), raw)
    repo = Repo(Path("."), [source.path], {source.path: raw})
    result = apply(source, repo, settings or Settings(), unsafe=unsafe)
    _raise(result.faults)
    return source.with_line_ends(result.data).decode("utf-8", "surrogateescape")


def select_fixes(findings: Sequence[Finding], unsafe: bool) -> list[Finding]:
    """Findings whose fix may be applied at this level."""
    levels = ("safe", "unsafe") if unsafe else ("safe",)
    return [f for f in findings if f.fix and f.fix.applicability in levels and (f.fix.edits or f.fix.helpers)]
