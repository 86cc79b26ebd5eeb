"""``amdlint query NAME``: what a CUDA name, option, package, variable or GPU is on ROCm."""

from __future__ import annotations

import json
import re
import sys
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, TextIO

if TYPE_CHECKING:
    from ..kb.facts.lookup import Answer
    from ..kb.model import Entry

WIDTH = 100
LABEL = 13
STATUS = {
    "en": {
        "same": "the same name",
        "renamed": "another name",
        "differs": "behaves otherwise",
        "none": "no counterpart",
        "info": "",
    },
    "zh": {"same": "名称相同", "renamed": "名称不同", "differs": "行为不同", "none": "没有对应", "info": ""},
}
WORDS = {
    "en": {
        "use": "use",
        "instead": "or instead",
        "since": "since ROCm",
        "as of": "as of",
        "sources": "sources",
        "entries": "entries",
        "unknown": "nothing is known about {name!r}",
        "near": "did you mean",
    },
    "zh": {
        "use": "使用",
        "instead": "可替代",
        "since": "始于 ROCm",
        "as of": "依据版本",
        "sources": "来源",
        "entries": "相关条目",
        "unknown": "没有关于 {name!r} 的信息",
        "near": "是否想查",
    },
}


def run(
    name: str,
    *,
    format: Literal["text", "json"] | str = "text",
    stream: TextIO | None = None,
    lang: str = "en",
) -> int:
    """Answer a question about a name; the exit code is 0 when something is known, else 1."""
    from ..kb.facts.lookup import look_up

    out = stream or sys.stdout
    answers = look_up(name)
    entries = mentioned_in(name, answers)
    known = bool(answers or entries)
    near = [] if known else near_misses(name)
    if format == "json":
        out.write(json.dumps(as_json(name, answers, entries, near), ensure_ascii=False, indent=2) + "\n")
    else:
        words = WORDS.get(lang, WORDS["en"])
        for block in as_text(name, answers, entries, near, words, STATUS.get(lang, STATUS["en"])):
            out.write(block + "\n")
    return 0 if known else 1


def mentioned_in(name: str, answers: list[Answer], limit: int = 6) -> list[Entry]:
    """The entries that speak of the name, those that name it in the title first.

    A plain word ("warp") says too little: only names with a capital, digit or sign in them are searched for.
    """
    from ..kb import load

    names = {
        name.strip().strip('<>"`'),
        *(a.name for a in answers),
        *(a.amd for a in answers if a.amd and " " not in a.amd),
    }
    names = {n.partition("=")[0] if n.startswith("-") else n for n in names}
    wanted = [
        n
        for n in names
        if len(n) > 3 and (re.search(r"[A-Z_\d./:\-]", n) or any(a.kind == "package" for a in answers))
    ]
    base = load()
    entry = base.find(name.strip())
    if entry is not None:
        return [entry]
    if not wanted or "torch" in wanted:  # every other entry speaks of torch
        return []
    pattern = re.compile(
        "|".join(rf"(?<![\w.-]){re.escape(n)}(?![\w-])" for n in sorted(wanted, key=len, reverse=True))
    )
    scored: list[tuple[int, str, Entry]] = []
    for e in base:
        if e.status == "retired":
            continue
        score = 8 * bool(pattern.search(e.title))
        score += 4 * any(pattern.search(s.text or s.regex or "") for s in e.signatures)
        score += 4 * any(pattern.search(x.bad or "") for x in e.examples)
        score += 2 * any(name in e.applies.packages for name in wanted)
        score += bool(pattern.search(e.cause))
        if score >= 4 or (score and len(pattern.findall(e.cause)) > 1):
            scored.append((-score, e.code, e))
    return [e for _, _, e in sorted(scored, key=lambda s: s[:2])[:limit]]


def near_misses(name: str, limit: int = 5) -> list[str]:
    """Known names that look like the one asked for."""
    from rapidfuzz import fuzz, process, utils

    from ..kb.facts.lookup import all_names

    found = process.extract(
        name, all_names(), scorer=fuzz.ratio, processor=utils.default_process, limit=limit, score_cutoff=70
    )
    return [match for match, _, _ in found]


def as_json(name: str, answers: list[Answer], entries: list[Entry], near: list[str]) -> dict[str, object]:
    """The answer as plain data."""
    return {
        "query": name,
        "found": bool(answers or entries),
        "answers": [
            {
                "kind": a.kind,
                "name": a.name,
                "status": a.status,
                "amd": a.amd,
                "library": a.library,
                "since": a.since,
                "facts": [{"label": label, "text": text} for label, text in a.rows],
                "sources": list(a.sources),
                "as_of": a.as_of,
            }
            for a in answers
        ],
        "entries": [{"code": e.code, "slug": e.slug, "title": e.title, "url": e.url} for e in entries],
        "suggestions": near,
    }


def as_text(
    name: str,
    answers: list[Answer],
    entries: list[Entry],
    near: list[str],
    words: dict[str, str],
    status: dict[str, str],
) -> Iterator[str]:
    """The answer as lines for a terminal."""
    if not answers and not entries:
        yield words["unknown"].format(name=name)
        if near:
            yield f"  {words['near']}: " + ", ".join(near)
        return
    for number, a in enumerate(answers):
        if number:
            yield ""
        is_package = a.kind == "package"
        head = f"{a.name}  ({a.kind})"
        yield f"{head}: {status[a.status]}" if status[a.status] and not is_package else head
        if a.amd:
            where = f"  [{a.library}]" if a.library else ""
            yield line(words["instead" if is_package else "use"], a.amd + where)
        if a.since:
            yield line(words["since"] if re.match(r"\d", a.since) else words["since"].split()[0], a.since)
        for label, text in a.rows:
            yield line(label, text)
        for number_of, source in enumerate(a.sources[:4]):
            yield line(words["sources"] if not number_of else "", source)
        if a.as_of:
            yield line(words["as of"], a.as_of)
    if entries:
        if answers:
            yield ""
        for number, e in enumerate(entries):
            yield line("" if number else words["entries"], f"{e.code} {e.title}")
            yield line("", e.url)


def line(label: str, text: str) -> str:
    """``label  text``, wrapped under itself; addresses are never cut."""
    indent = " " * (LABEL + 4)
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=f"  {label:<{LABEL}}  ",
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
