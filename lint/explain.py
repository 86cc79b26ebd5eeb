"""``amdlint explain``: read a log or a code, answer like a colleague who has seen it before."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, TextIO

import msgspec

from ..kb import clean, fill, match, ranges, reduce, store
from ..kb.clean import Line
from ..kb.context import Context
from ..kb.index import index_of
from ..kb.match import Explanation, Match
from ..kb.model import Applies, Entry, Fix
from ..kb.store import KnowledgeBase

FOUND, UNKNOWN, USAGE = 0, 1, 2
BY_CODE = 0.6
"""Confidence of an answer that rests on the linter alone."""


class UsageError(Exception):
    """What the user asked for cannot be done; the message says why."""


def run(
    source: str | None,
    *,
    format: str = "text",
    show_all: bool = False,
    targets: Sequence[str] = (),
    rocm: str | None = None,
    torch: str | None = None,
    lang: str = "en",
    kb_dirs: Sequence[str | Path] = (),
    stream: TextIO | None = None,
    color: bool = False,
) -> int:
    """Explain a log file, standard input (``source`` None or ``-``) or an entry's code or slug.

    Returns the exit code: 0 explained, 1 no known match, 2 usage error.
    """
    out = stream or sys.stdout
    try:
        base = load(kb_dirs)
        given = Context(gfx=_targets(targets), rocm=rocm, torch=torch)
        named = base.find(source) if source and source != "-" and not Path(source).exists() else None
        if named is not None:
            answer = page(named, given)
        else:
            answer = by_code(answer_log(source, base, given), base)
    except UsageError as e:
        return _usage(str(e))
    answer = in_language(answer, lang)
    if format == "json":
        out.write(
            msgspec.json.format(msgspec.json.encode(as_json(answer, show_all)), indent=2).decode() + "\n"
        )
    else:
        from . import explain_text

        out.write(explain_text.render(answer, format, show_all=show_all, lang=lang, color=color))
    return FOUND if answer.matches else UNKNOWN


def show_entry(
    code: str,
    *,
    lang: str = "en",
    kb_dirs: Sequence[str | Path] = (),
    color: bool = False,
    stream: TextIO | None = None,
) -> int:
    """Print the page of an entry named by code or slug; 2 when there is none."""
    from . import explain_text

    try:
        entry = load(kb_dirs).find(code)
    except UsageError as e:
        return _usage(str(e))
    if entry is None:
        return _usage(f"no entry has the code or name {code!r}; `amdlint rules` lists them")
    answer = in_language(page(entry, Context()), lang)
    (stream or sys.stdout).write(explain_text.render(answer, "text", lang=lang, color=color))
    return FOUND


def load(kb_dirs: Sequence[str | Path] = ()) -> KnowledgeBase:
    """The entries. A broken one is named on standard error and left out: the others still help."""
    folders = [Path(d) for d in kb_dirs]
    for folder in folders:
        if not folder.is_dir():
            raise UsageError(f"{folder}: no such folder of entries")
    try:
        return store.load(folders)
    except store.KbError as e:
        for problem in e.problems:
            sys.stderr.write(f"amdlint explain: {problem}\n")
        return KnowledgeBase(store.parse((store.BUILTIN, *folders))[0])


def in_language(answer: Explanation, lang: str) -> Explanation:
    """The answer with the prose of its entries in a language, where it has been translated."""
    if lang == "en":
        return answer
    from ..kb.translation import translated

    def told(matches: tuple[Match, ...]) -> tuple[Match, ...]:
        return tuple(msgspec.structs.replace(m, entry=translated(m.entry, lang)) for m in matches)

    return msgspec.structs.replace(answer, matches=told(answer.matches), others=told(answer.others))


def page(entry: Entry, given: Context) -> Explanation:
    """An entry as the answer to being asked for by name."""
    return Explanation((Match(entry, 1.0, 0.0, ()),), given, clean.clean(""))


def answer_log(source: str | None, base: KnowledgeBase, given: Context) -> Explanation:
    """The answer to a log on disk or on standard input."""
    name, stream = _open(source)
    with stream:
        head = stream.read(reduce.SMALL) or b""
        if not head.strip():
            raise UsageError(f"{name} is empty")
        if clean.is_binary(head):
            raise UsageError(f"{name} is not text")
        if len(head) < reduce.SMALL:
            return match.explain(head, base, given)
        lines = reduce.reduced(_Rest(head, stream), index_of(base))
        return match.explain(clean.clean_lines(lines), base, given)


def _usage(message: str) -> int:
    sys.stderr.write(f"amdlint explain: {message}\n")
    return USAGE


def _targets(names: Iterable[str]) -> tuple[str, ...]:
    """gfx targets of the user's ``--target`` values."""
    found: list[str] = []
    for name in names:
        from ..kb import facts

        card = facts.gpu(name)
        try:
            found += [card.gfx] if card else sorted(facts.expand_gfx(name))
        except ValueError as e:
            raise UsageError(str(e)) from None
    return tuple(dict.fromkeys(found))


def _open(source: str | None) -> tuple[str, io.RawIOBase | BinaryIO]:
    """The name of the log and its bytes."""
    if source is None or source == "-":
        if sys.stdin is None or sys.stdin.closed or sys.stdin.isatty():
            raise UsageError(
                "no log given: `amdlint explain train.log` or `some command 2>&1 | amdlint explain`"
            )
        binary = getattr(sys.stdin, "buffer", None)
        if binary is None:  # a replaced stdin of text
            binary = io.BytesIO(sys.stdin.read().encode("utf-8", "surrogateescape"))
        return "standard input", _Borrowed(binary)
    path = Path(source)
    if path.is_dir():
        raise UsageError(f"{source} is a directory; name a log file, or `amdlint {source}` to lint it")
    try:
        return source, path.open("rb")
    except FileNotFoundError:
        raise UsageError(f"{source}: no such file, and no entry has this code or name") from None
    except OSError as e:
        raise UsageError(f"{source}: {e.strerror or e}") from None


class _Borrowed(io.RawIOBase):
    """A stream that is not ours to close."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def read(self, size: int = -1) -> bytes:
        # A pipe hands over what it has: read on until there is as much as asked for.
        parts: list[bytes] = []
        while size < 0 or size > 0:
            part = self._stream.read(size)
            if not part:
                break
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


class _Rest(io.RawIOBase):
    """A stream of which the head has been read already."""

    def __init__(self, head: bytes, stream: reduce.Readable) -> None:
        self._head, self._stream = head, stream

    def read(self, size: int = -1) -> bytes:
        head, self._head = self._head, b""
        return head or self._stream.read(size) or b""


# ---- JSON --------------------------------------------------------------------------------------


def as_json(answer: Explanation, show_all: bool = False) -> dict[str, Any]:
    """The answer in the documented JSON shape."""
    shown = answer.matches + (answer.others if show_all else ())
    found = findings(answer)
    return {
        "matches": [_match_json(m, answer.context, found.get(m.entry.code, ())) for m in shown],
        "context": answer.context.facts(),
    }


def _match_json(m: Match, context: Context, found: Sequence[Any]) -> dict[str, Any]:
    entry = m.entry
    fixes = [_fix_json(f, context) for f in fitting(entry, context)]
    if fixes:
        fixes[0]["caveats"] += list(entry.wrong_advice)
    if found:
        from .report.json import record

        found = [record(item) for item in found]
    return {
        "code": entry.code,
        "id": entry.slug,
        "title": entry.title,
        "confidence": m.confidence,
        "evidence": [{"line": x.number, "text": x.text.strip(), "rank": x.rank} for x in m.evidence],
        "cause": entry.cause.strip(),
        "fixes": fixes,
        "url": entry.url,
        "sources": [{"url": s.url, "says": s.says, "as_of": s.as_of} for s in entry.sources],
        "findings": list(found),
    }


def fitting(entry: Entry, context: Context) -> list[Fix]:
    """The fixes that may work on this machine."""
    return [f for f in entry.fixes if ranges.fits(f.applies, context)]


def to_find_out(f: Fix, context: Context, texts: Iterable[fill.Filled]) -> dict[str, str]:
    """Facts that decide about a fix and are not known, with the command that shows each."""
    unknown = {name: command for t in texts for name, command in fill.tells([t]).items()}
    for verdict, part in ranges.verdicts(f.applies, context):
        if verdict == "open" and part in fill.TELLS:
            unknown.setdefault(part, fill.TELLS[part])
    return unknown


def _fix_json(f: Fix, context: Context) -> dict[str, Any]:
    steps = [fill.step(s, context) for s in f.steps]
    verify = fill.fill(f.verify, context) if f.verify else fill.Filled("")
    caveats = [f.caveat] if f.caveat else []
    unknown = to_find_out(f, context, [*(x for _, x in steps), verify])
    caveats += [f"<{name}>: {command}" for name, command in unknown.items()]
    return {
        "summary": f.summary,
        "steps": [{kind: filled.text.rstrip()} for kind, filled in steps],
        "applies": applies_json(f.applies),
        "verify": verify.text or None,
        "caveats": caveats,
    }


def applies_json(applies: Applies) -> dict[str, Any]:
    """A range as plain data; empty when it holds everywhere."""
    found: dict[str, Any] = {}
    if applies.gfx != "all":
        found["gfx"] = list(applies.gfx)
    for name in ("rocm", "torch"):
        if getattr(applies, name):
            found[name] = getattr(applies, name)
    if applies.packages:
        found["packages"] = dict(applies.packages)
    if applies.os:
        found["os"] = list(applies.os)
    return found


# ---- the code that the log points to ---------------------------------------------------------------

_FRAME = (
    r"File \"([^\"<>\n]{1,300})\", line (\d{1,7})",
    r"^([\w./\\:+-]{2,300}\.(?:cu|cuh|hip|cpp|cc|h|hpp)):(\d{1,7})(?::\d{1,5})?: ",
)
_MAX_SOURCE = 4_000_000


def findings(answer: Explanation) -> dict[str, list[Any]]:
    """Lint findings on the very lines that the log names, by the code of the match they are shown with."""
    if not answer.matches:
        return {}
    placed: dict[str, list[Any]] = {}
    codes = {m.entry.code for m in answer.matches}
    for path, row, _ in _frames(answer):
        for item in _lint(path, row):
            owner = item.code if item.code in codes else answer.matches[0].entry.code
            placed.setdefault(owner, []).append(item)
    return placed


def by_code(answer: Explanation, base: KnowledgeBase) -> Explanation:
    """The answer, or where no signature gives one, what the linter says of the very line that failed."""
    if answer.matches or not answer.context.evidence.amd or answer.context.evidence.foreign:
        return answer
    frames = _frames(answer)
    if not frames:
        return answer
    path, row, line = frames[-1]
    for item in _lint(path, row):
        entry = base.by_code.get(item.code)
        if entry is not None and item.severity == "error":
            found = Match(entry, BY_CODE, 0.0, (line,))
            return msgspec.structs.replace(answer, matches=(found,), reason="", about=None)
    return answer


def _frames(answer: Explanation) -> list[tuple[Path, int, Line]]:
    """Places in files of this machine that the log names (path, row, line of the log), each once."""
    import re

    found: dict[tuple[Path, int], Line] = {}
    for line in answer.paste.lines:
        if 'File "' not in line.text and ": " not in line.text:
            continue
        for pattern in _FRAME:
            for m in re.finditer(pattern, line.text):
                path = Path(m.group(1))
                if "site-packages" not in path.parts and "dist-packages" not in path.parts:
                    found.setdefault((path, int(m.group(2))), line)
    return [(path, row, line) for (path, row), line in found.items() if _is_source(path)]


def _is_source(path: Path) -> bool:
    try:
        return path.is_file() and path.stat().st_size < _MAX_SOURCE
    except OSError:
        return False


def _lint(path: Path, line: int) -> list[Any]:
    """The findings of a file that touch one of its lines."""
    from . import engine
    from .discover import Files
    from .repo import Repo
    from .report import items
    from .run import Outcome
    from .settings import Settings
    from .source import UnreadableSource

    settings = Settings()
    try:
        raw = path.read_bytes()
        source = engine.read(path, raw)
        report = engine.check(source, Repo(path.parent, [path], {path: raw}), settings)
    except (OSError, UnreadableSource):
        return []
    found = items(Outcome(Files(path.parent, [path]), [report]), settings, raw={path: raw})
    return [i for i in found if i.start.row <= line <= i.end.row]
