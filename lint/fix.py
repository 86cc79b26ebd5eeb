"""Apply fixes to one file, with a proof for each.

After a fix the file still parses, the fixed finding is gone, no new one has come, and another run
changes nothing. A fix that fails its proof is dropped and named in ``Result.dropped``.
"""

from __future__ import annotations

import difflib
import os
import re
import tempfile
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import msgspec

from . import engine, notebook, syntax
from .discover import language_of
from .finding import Edit, Finding, Fix, Move
from .repo import Repo
from .rules import Fault
from .settings import Settings
from .source import Source

MAX_ROUNDS = 10
_NEWLINE = re.compile(rb"\r\n|\r|\n")


class Result(msgspec.Struct):
    """``data`` is the file's UTF-8 text after the fixes; ``fixed`` and ``dropped`` name the findings."""

    source: Source
    data: bytes
    fixed: list[Finding] = []
    dropped: list[tuple[Finding, str]] = []
    faults: list[Fault] = []
    """Rules that broke down on the file as it was; a rewrite on which a rule breaks down is dropped."""

    @property
    def changed(self) -> bool:
        return self.data != self.source.data


def apply(source: Source, repo: Repo, settings: Settings, *, unsafe: bool = False) -> Result:
    """Fix one file as far as its proofs hold. Nothing is written to disk."""
    result = Result(source, source.data)
    if not source.faithful:
        return result
    if source.path.suffix == ".ipynb":
        return notebook.fix(source, repo, settings, unsafe=unsafe)
    first = engine.check(source, repo, settings)
    result.faults += first.faults
    before = first.findings
    refused: dict[tuple[str, bytes], Finding] = {}
    for _ in range(MAX_ROUNDS):
        current = _with(source, result.data)
        candidates = [f for f in engine.select_fixes(before, unsafe) if _identity(f, current) not in refused]
        chosen = _disjoint([f for f in candidates if f.fix and not f.fix.late]) or _disjoint(candidates)
        if not chosen:
            break
        accepted, data, after = _prove(current, chosen, before, repo, settings, unsafe)
        if accepted:
            refused.clear()  # the text is another one now: what failed before may hold
            result.fixed += accepted
            result.data = data
            before = after
        else:
            refused |= {_identity(f, current): f for f in chosen}
    why = "the rewritten file would not parse, or the finding would stay or others would come"
    result.dropped = [(f, why) for f in refused.values()]
    return result


def _identity(finding: Finding, source: Source) -> tuple[str, bytes]:
    """Recognises a finding again after the text around it has moved."""
    return finding.code, source.data[finding.start : finding.end]


def _with(source: Source, data: bytes) -> Source:
    changed = Source(source.path, b"")
    changed.data, changed.encoding, changed.mark = data, source.encoding, source.mark
    changed.line_end = source.line_end
    return changed


def _disjoint(candidates: Sequence[Finding]) -> list[Finding]:
    """The candidates in order, without those whose edits touch an earlier one's."""
    chosen: list[Finding] = []
    taken: list[tuple[int, int]] = []  # spans in order; only the nearest ones can touch another
    by_span: dict[tuple[int, int], Edit] = {}
    for finding in candidates:
        edits = finding.fix.edits if finding.fix else ()
        near = (
            by_span[span]
            for edit in edits
            for at in (bisect_left(taken, (edit.start, edit.end)),)
            for span in taken[max(0, at - 3) : at + 3]
            if _overlap(edit, by_span[span])
        )
        if any(True for _ in near):
            continue
        chosen.append(finding)
        for edit in edits:
            if (edit.start, edit.end) not in by_span:
                by_span[edit.start, edit.end] = edit
                insort(taken, (edit.start, edit.end))
    return chosen


def _overlap(a: Edit, b: Edit) -> bool:
    if a == b:
        return False  # two fixes that ask for the very same edit agree
    if a.start == a.end or b.start == b.end:
        return a.start <= b.end and b.start <= a.end
    return a.start < b.end and b.start < a.end


def _with_newline(edit: Edit, data: bytes) -> Edit:
    """In a file of mixed line ends: the edit with those of the line that it stands on."""
    if "\n" not in edit.content or b"\r" not in data:
        return edit
    found = _NEWLINE.search(data, edit.start) or _NEWLINE.search(data)
    newline = found.group().decode() if found else "\n"
    return msgspec.structs.replace(edit, content=edit.content.replace("\r\n", "\n").replace("\n", newline))


def edited(data: bytes, edits: Sequence[Edit]) -> bytes:
    """``data`` after disjoint edits; equal edits count once."""
    parts, at = [], 0
    for edit in sorted(set(edits)):
        parts += [data[at : edit.start], edit.content.encode("utf-8", "surrogateescape")]
        at = edit.end
    return b"".join([*parts, data[at:]])


def complete(source: Source, fixes: Sequence[Fix]) -> list[Edit]:
    """The edits of the fixes together with the imports and helpers that they need; none when one cannot be made."""
    language = language_of(source.path)
    if any(isinstance(e, Move) for fix in fixes for e in fix.edits):
        from .python.restructure import written

        made = [written(source, fix.edits) for fix in fixes]
        if None in made:
            return []
        fixes = [
            msgspec.structs.replace(fix, edits=tuple(m or ())) for fix, m in zip(fixes, made, strict=True)
        ]
    edits = [e for fix in fixes for e in fix.edits]
    if any(fix.imports or fix.helpers for fix in fixes):
        if language == "python":
            from .python.rewrite import finish
        elif language == "native":
            from .native.rewrite import finish
        else:
            return edits
        return finish(source, list(fixes))
    return edits


def _prove(
    source: Source,
    chosen: list[Finding],
    before: list[Finding],
    repo: Repo,
    settings: Settings,
    unsafe: bool = False,
) -> tuple[list[Finding], bytes, list[Finding]]:
    """The fixes that hold together, the text after them and its findings.

    All at once first; where that proof fails, each half on its own, down to the single fix.
    """
    accepted: list[Finding] = []
    data, after = source.data, before
    groups = [chosen]
    while groups:
        group = groups.pop()
        together = [*accepted, *group]
        limit = Counter(f.code for f in before)
        limit.subtract(f.code for f in together)
        attempt = _try(source, together, limit, repo, settings, unsafe)
        if attempt is not None:
            accepted += group
            data, after = attempt
        elif len(group) > 1:
            middle = len(group) // 2
            groups += [group[middle:], group[:middle]]
    return accepted, data, after


def _try(
    source: Source,
    chosen: list[Finding],
    limit: Counter[str],
    repo: Repo,
    settings: Settings,
    unsafe: bool,
    depth: int = 2,
) -> tuple[bytes, list[Finding]] | None:
    """The text after the fixes and its findings, if no code has more of them than ``limit`` allows.

    Code that a fix has brought to an AMD compiler may need fixes of its own: they are made with it.
    """
    edits = complete(source, [f.fix for f in chosen if f.fix])
    if any(a.end > b.start for a, b in pairwise(sorted(set(edits)))):
        return None
    data = edited(source.data, [_with_newline(e, source.data) for e in edits])
    if data.endswith(b"\n") and source.data[-1:] not in (b"", b"\n"):
        data = data[:-1]  # a missing last line end stays missing
    if data == source.data:
        return None
    rewritten = _with(source, data)
    if syntax.errors(rewritten) > syntax.errors(source):
        return None
    report = engine.check(rewritten, repo, settings)
    if report.error is not None or report.faults:
        return None
    has = Counter(f.code for f in report.findings)
    over = {code for code in has if has[code] > limit[code]}
    if not over:
        return data, report.findings
    more = _disjoint([f for f in engine.select_fixes(report.findings, unsafe) if f.code in over])
    if not depth or {f.code for f in more} != over:
        return None
    return _try(rewritten, more, limit, repo, settings, unsafe, depth - 1)


def write(result: Result) -> None:
    """Write the fixed file in one step."""
    write_atomically(result.source.path, result.source.encoded(result.data))


def write_atomically(path: Path, data: bytes) -> None:
    """Replace a file in one step, keeping its mode; a symbolic link stays and its target changes."""
    target = Path(os.path.realpath(path))
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as f:
            f.write(data)
        if target.exists():
            os.chmod(temporary, target.stat().st_mode & 0o7777)
        else:
            os.chmod(temporary, 0o644)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def diff(result: Result) -> str:
    """The change as a unified diff."""
    path = result.source.path.as_posix()
    source = result.source
    old, new = (source.with_line_ends(d).decode("utf-8", "replace") for d in (source.data, result.data))
    return "".join(_unified(old, new, path))


def _unified(old: str, new: str, path: str) -> list[str]:
    lines = []
    # Lines as git and patch see them: str.splitlines would also split at form feeds and U+2028.
    olds, news = (re.findall(r"[^\n]*\n|[^\n]+", text) for text in (old, new))
    for line in difflib.unified_diff(olds, news, f"a/{path}", f"b/{path}"):
        lines.append(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n")
    return lines
