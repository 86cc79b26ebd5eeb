"""``amdlint explain``: read a log or a code, answer like a colleague who has seen it before."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

from ..kb import clean, fill, match, ranges, store
from ..kb.context import Context
from ..kb.match import Explanation, Match
from ..kb.model import Applies, Entry, Fix

FOUND, UNKNOWN, USAGE = 0, 1, 2


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
    base = load(kb_dirs)
    named = base.find(source) if source and source != "-" and not Path(source).exists() else None
    given = Context(gfx=tuple(targets), rocm=rocm, torch=torch)
    if named is not None:
        out.write(_page(named, given, format))
        return FOUND
    data = _read(source)
    if isinstance(data, str):
        return _usage(data)
    answer = match.explain(data, base, given)
    if format == "json":
        json.dump(as_json(answer, show_all), out, ensure_ascii=False, indent=2)
        out.write("\n")
    else:
        out.write(as_text(answer, show_all))
    return FOUND if answer.matches else UNKNOWN


def show_entry(
    code: str, *, lang: str = "en", kb_dirs: Sequence[str | Path] = (), color: bool = False
) -> int:
    """Print the page of an entry named by code or slug; 2 when there is none."""
    entry = load(kb_dirs).find(code)
    if entry is None:
        return _usage(f"no entry has the code or name {code!r}")
    sys.stdout.write(_page(entry, Context(), "text"))
    return FOUND


def load(kb_dirs: Sequence[str | Path] = ()) -> store.KnowledgeBase:
    """The entries. A broken one is named on standard error and left out: the others still help."""
    folders = [Path(d) for d in kb_dirs]
    try:
        return store.load(folders)
    except store.KbError as e:
        for problem in e.problems:
            sys.stderr.write(f"amdlint explain: {problem}\n")
        return store.KnowledgeBase(store.parse((store.BUILTIN, *folders))[0])


def _usage(message: str) -> int:
    sys.stderr.write(f"amdlint explain: {message}\n")
    return USAGE


def _read(source: str | None) -> bytes | str:
    """The bytes of the log, or what is wrong."""
    if source is None or source == "-":
        if sys.stdin is None or sys.stdin.isatty():
            return "no log given; paste one with `amdlint explain < train.log` or name a file"
        data = getattr(sys.stdin, "buffer", sys.stdin).read()
        if isinstance(data, str):
            data = data.encode()
        name = "standard input"
    else:
        path = Path(source)
        name = source
        try:
            if path.is_dir():
                return f"{source} is a directory; name one log file"
            data = path.read_bytes()
        except FileNotFoundError:
            return f"{source}: no such file, and no entry has this code or name"
        except OSError as e:
            return f"{source}: {e.strerror}"
    if not data.strip():
        return f"{name} is empty"
    if clean.is_binary(data):
        return f"{name} is no text"
    return bytes(data)


def as_json(answer: Explanation, show_all: bool = False) -> dict[str, Any]:
    """The answer in the documented JSON shape."""
    shown = answer.matches + (answer.others if show_all else ())
    return {"matches": [_match_json(m, answer.context) for m in shown], "context": answer.context.facts()}


def _match_json(m: Match, context: Context) -> dict[str, Any]:
    entry = m.entry
    fixes = [_fix_json(f, context) for f in _fitting(entry, context)]
    if fixes:
        fixes[0]["caveats"] += list(entry.wrong_advice)
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
        "findings": [],
    }


def _fitting(entry: Entry, context: Context) -> list[Fix]:
    """The fixes that may work on this machine."""
    return [
        f
        for f in entry.fixes
        if ranges.fits(f.applies, context.gfx, context.rocm_versions, context.torch, context.os)
    ]


def _fix_json(f: Fix, context: Context) -> dict[str, Any]:
    steps = [fill.step(s, context) for s in f.steps]
    verify = fill.fill(f.verify, context).text if f.verify else None
    return {
        "summary": f.summary,
        "steps": [{kind: filled.text.rstrip()} for kind, filled in steps],
        "applies": _applies_json(f.applies),
        "verify": verify,
        "caveats": [f.caveat] if f.caveat else [],
    }


def _applies_json(applies: Applies) -> dict[str, Any]:
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


def _page(entry: Entry, context: Context, format: str) -> str:
    if format == "json":
        m = Match(entry, 1.0, 0.0, ())
        return (
            json.dumps(
                {"matches": [_match_json(m, context)], "context": context.facts()},
                ensure_ascii=False,
                indent=2,
            )
            + "\n"
        )
    return _entry_text(entry, context)


def _entry_text(entry: Entry, context: Context) -> str:
    lines = [f"{entry.code} {entry.title}", "", entry.cause.strip(), ""]
    for i, f in enumerate(_fitting(entry, context), 1):
        lines.append(f"{i}. {f.summary}")
        for s in f.steps:
            _, filled = fill.step(s, context)
            lines += [f"     {line}" for line in filled.text.rstrip().split("\n")]
        if f.verify:
            lines.append(f"   check: {f.verify}")
        if f.caveat:
            lines.append(f"   note: {f.caveat}")
    lines += ["", *(f"source: {s.url} ({s.as_of})" for s in entry.sources), entry.url, ""]
    return "\n".join(lines)


def as_text(answer: Explanation, show_all: bool = False) -> str:
    """The answer for a terminal."""
    shown = answer.matches + (answer.others if show_all else ())
    if not shown:
        return "no known match\n"
    parts = []
    for m in shown:
        quoted = "".join(
            f"  line {x.number}{f' (rank {x.rank})' if x.rank is not None else ''}: {x.text.strip()[:300]}\n"
            for x in m.evidence[:3]
        )
        parts.append(f"{quoted}\n{_entry_text(m.entry, answer.context)}")
    return "\n".join(parts)
