"""From a log to the entries that explain it, best first, or to an honest "unknown"."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import accumulate
from typing import Literal

import msgspec

from . import clean, context, evidence, failure, ranges
from .clean import Line, Paste
from .context import Context
from .index import Index, index_of
from .model import Applies, Entry, Signature
from .signature import compile_context, is_regex
from .store import KnowledgeBase

SHOWN = 3
"""Answers given by default: the root cause and at most two others."""
ENOUGH = 0.38
"""Confidence below which an answer is none."""

EQUAL = 0.6
"""Difference of scores that says nothing."""

Reason = Literal["", "empty", "healthy", "nvidia", "no-amd", "python", "unknown"]


class Hit(msgspec.Struct, frozen=True):
    """A signature found in a line."""

    signature: Signature
    line: Line
    kind: failure.Kind
    fuzzy: float = 1.0
    """1 for an exact match, less for a damaged line that only resembles the signature."""
    context: int = 0
    """Letters of what the signature wants beside it and has found there."""


class Match(msgspec.Struct, frozen=True):
    """An entry that explains the log. ``evidence`` holds the lines it rests on, the most telling first."""

    entry: Entry
    confidence: float
    score: float
    evidence: tuple[Line, ...]


class Explanation(msgspec.Struct, frozen=True):
    """The answers to a log. ``reason`` says why there is none."""

    matches: tuple[Match, ...]
    context: Context
    paste: Paste
    reason: Reason = ""
    others: tuple[Match, ...] = ()
    """Weaker candidates, which ``--all`` shows."""
    about: Line | None = None
    """The error that has no answer."""


def explain(log: str | bytes | Paste, base: KnowledgeBase, given: Context | None = None) -> Explanation:
    """Explain a log. ``given`` holds what the user said about the machine; it beats the log."""
    index = index_of(base)
    paste = log if isinstance(log, Paste) else clean.clean(log)
    told = context.read(paste)
    if given is not None:
        told = merge(told, given)
    if not paste:
        return Explanation((), told, paste, "empty")
    told = msgspec.structs.replace(told, first_failing_rank=failure.failing_rank(paste.lines))
    failed = failure.first_failure(paste)
    ranked = _rank(_hits(index, paste, told), failed, told)
    chosen = _choose(ranked)
    if not chosen and told.evidence.amd and not told.evidence.foreign:
        ranked = _rank(_near_hits(index, paste, told), failed, told) or ranked
        chosen = _choose(ranked)
    others = tuple(m for m in ranked if m not in chosen)
    if chosen:
        return Explanation(chosen, told, paste, others=others)
    return Explanation((), told, paste, _why_not(failed, told), others, failed)


def merge(told: Context, given: Context) -> Context:
    """The log's context with the user's own statements on top."""
    said = bool(given.gfx or given.rocm)
    return msgspec.structs.replace(
        told,
        gfx=given.gfx or told.gfx,
        rocm=given.rocm or told.rocm,
        torch=given.torch or told.torch,
        rocm_versions=(given.rocm,) if given.rocm else told.rocm_versions,
        evidence=msgspec.structs.replace(told.evidence, amd=told.evidence.amd or said),
    )


_NO_DIGITS = dict.fromkeys(range(ord("0"), ord("9") + 1))
FEW_LINES = 300
ENOUGH_LIKE_IT = 8
"""Lines that differ only in digits and are looked at for one signature: logs repeat themselves."""


class _Whole:
    """Questions about the paste as a whole, each answered once."""

    def __init__(self, paste: Paste) -> None:
        self.paste = paste
        self._known: dict[str, bool] = {}

    def holds(self, item: str) -> bool:
        if item not in self._known:
            pattern = compile_context(item)
            text = self.paste.text
            if pattern.found_in(self.paste.peeled):
                self._known[item] = True
            elif pattern.regex is None:
                self._known[item] = pattern.literals[0] in text
            elif any(x in text for x in pattern.literals) or not pattern.literals:
                lines = (*self.paste.lines, *self.paste.joins)
                self._known[item] = any(pattern.found_in(x.text) for x in lines)
            else:
                self._known[item] = False
        return self._known[item]


def _hits(index: Index, paste: Paste, told: Context) -> list[tuple[Entry, Hit]]:
    """Signatures that hold in this paste, each with the lines in which it stands."""
    if told.evidence.foreign:
        return []
    whole = _Whole(paste)
    lines = (*paste.lines, *paste.joins)
    starts = [0, *accumulate(len(x.text) + 1 for x in lines)]
    text = paste.text
    found: list[tuple[Entry, Hit]] = []
    wanted: dict[int, set[int]] = {}
    for literal, numbers in index.by_literal.items():
        at = text.find(literal)
        while at >= 0:
            row = bisect_right(starts, at) - 1
            for number in numbers:
                wanted.setdefault(number, set()).add(row)
            at = text.find(literal, starts[row + 1])
    for number in sorted(wanted):
        entry, signature = index.signatures[number]
        if not _stands(signature, whole):
            continue
        pattern = index.pattern(number)
        told_lines: set[int] = set()
        tried: dict[str, int] = {}
        for row in sorted(wanted[number]):
            line = lines[row]
            if line.joined and line.number in told_lines:
                continue
            shape = line.text.translate(_NO_DIGITS)
            tried[shape] = tried.get(shape, 0) + 1
            if tried[shape] > ENOUGH_LIKE_IT:
                continue
            if _counts(signature, line, told) and pattern.found_in(line.text):
                told_lines.add(line.number)
                beside = max((letters_of(x) for x in signature.beside if whole.holds(x)), default=0)
                found.append((entry, Hit(signature, line, failure.kind(line.text), context=beside)))
    return found


def _near_hits(index: Index, paste: Paste, told: Context) -> list[tuple[Entry, Hit]]:
    """Signatures that a damaged error line resembles."""
    from . import near  # rapidfuzz is not needed otherwise

    whole = _Whole(paste)
    lines = (*paste.lines, *paste.joins)
    suspects = [x for x in lines if failure.kind(x.text) is failure.Kind.ERROR][:200]
    if len(lines) < FEW_LINES:  # damage may have made an error line unrecognisable as such
        suspects += [x for x in lines if x not in suspects and evidence.speaks_of_amd(x.text)]
    found = []
    for number, line, likeness in near.resembling(index, suspects):
        entry, signature = index.signatures[number]
        if _counts(signature, line, told) and _stands(signature, whole):
            found.append((entry, Hit(signature, line, failure.kind(line.text), likeness)))
    return found


def _counts(signature: Signature, line: Line, told: Context) -> bool:
    """Whether the line tells of this run, and the evidence for AMD suffices for this signature in it."""
    if failure.is_retold(line.text):
        return False
    if told.evidence.contested:
        return evidence.speaks_of_amd(line.text)
    return signature.needs == "nothing" or told.evidence.amd


def _stands(signature: Signature, whole: _Whole) -> bool:
    if signature.beside and not any(map(whole.holds, signature.beside)):
        return False
    return not any(map(whole.holds, signature.absent))


# ---- scoring ---------------------------------------------------------------------------------

_AGREES = {"gfx": 0.9, "rocm": 0.4, "torch": 0.4, "os": 0.3, "package": 0.4}
_ROLE = {"cause": 3.0, "symptom": 1.6, "hint": 0.0}
_KIND = {
    failure.Kind.TRAILER: -1.2,
    failure.Kind.CASCADE: -1.5,
    failure.Kind.OTHER: 0.0,
    failure.Kind.WARNING: -0.2,
    failure.Kind.ERROR: 0.4,
}


def _rank(hits: Iterable[tuple[Entry, Hit]], failed: Line | None, told: Context) -> list[Match]:
    """One Match an entry, best first."""
    by_entry: dict[str, tuple[Entry, list[Hit]]] = {}
    for entry, hit in hits:
        by_entry.setdefault(entry.code, (entry, []))[1].append(hit)
    found = [m for entry, own in by_entry.values() if (m := _assess(entry, own, told, failed)) is not None]
    return sorted(found, key=lambda m: (-m.score, m.evidence[0].number, m.entry.code))


def _assess(entry: Entry, hits: Sequence[Hit], told: Context, failed: Line | None) -> Match | None:
    """The entry's worth as an answer, or None when it is none."""
    if all(h.signature.role == "hint" for h in hits):
        return None
    fit = agreement(entry.applies, told)
    if fit is None:
        return None
    if entry.severity == "note" and failed is not None and all(h.line.number != failed.number for h in hits):
        return None
    complaint = all(h.kind is not failure.Kind.ERROR for h in hits)
    if complaint and _died_of_something_else(failed, hits):
        return None
    worth = sorted(((_hit_score(h, told, failed), h) for h in hits), key=lambda x: -x[0])
    best, lead = worth[0]
    seen = {id(lead.signature)}
    support = 0.0
    for _, h in worth[1:]:
        if id(h.signature) not in seen and h.line.number != lead.line.number:
            seen.add(id(h.signature))
            support += {"cause": 0.5, "symptom": 0.35, "hint": 0.35}[h.signature.role]
    score = best + min(support, 1.0) + fit
    lines = list(dict.fromkeys([lead.line, *(h.line for _, h in worth if h.signature.role != "hint")]))
    return Match(entry, confidence(score), score, tuple(lines[:5]))


def _died_of_something_else(failed: Line | None, hits: Sequence[Hit]) -> bool:
    """Whether the log ends in an everyday failure of which the hits, warnings all, say nothing."""
    return (
        failed is not None
        and all(h.line.number != failed.number for h in hits)
        and failure.is_everyday(failed.text)
        and not evidence.speaks_of_amd(failed.text)
    )


def _hit_score(hit: Hit, told: Context, failed: Line | None) -> float:
    signature = hit.signature
    score = _ROLE[signature.role]
    score += 0.6 * min(letters(signature) + hit.context, 80) / 80
    score += 0.7 if signature.beside else 0.0
    score += 0.1 if signature.absent else 0.0
    score += _KIND[hit.kind]
    if failed is not None and failed.number == hit.line.number:
        score += 0.4
    if told.first_failing_rank is not None and hit.line.rank not in (None, told.first_failing_rank):
        score -= 0.3
    return score * hit.fuzzy


def letters(signature: Signature) -> int:
    """How much text a signature spells out: gaps, classes and further alternatives of an expression do not count."""
    if signature.text is not None:
        return len(signature.text)
    return _spelt(signature.regex or "")


def letters_of(item: str) -> int:
    """The same for what a signature wants beside it."""
    return _spelt(item[1:-1]) if is_regex(item) else len(item)


@cache
def _spelt(regex: str) -> int:
    regex = re.sub(r"\\\W", "x", regex)
    regex = re.sub(r"\((?:\?:)?([^()|]*)(?:\|[^()]*)+\)", r"\1", regex)
    return len(re.sub(r"(?:\[[^]]*\]|\\[a-zA-Z]|\.)(?:\{[^}]*\}|[*+?])?|[()?^$]", "", regex))


def agreement(applies: Applies, told: Context) -> float | None:
    """How well a range fits what is known: None when it contradicts, more for every part confirmed."""
    score = 0.0
    for verdict, part in ranges.verdicts(applies, told):
        if verdict is False:
            return None
        if verdict is True:
            score += _AGREES[part]
        elif verdict == "open":
            score -= _AGREES[part] / 2
    return score


def confidence(score: float) -> float:
    """Score to probability; tests/benchmarks/reliability.py shows how well it holds on labelled logs."""
    return round(0.97 / (1 + math.exp(-(score - 2.1) * 1.1)), 2)


# ---- choosing --------------------------------------------------------------------------------


def _choose(ranked: Sequence[Match]) -> tuple[Match, ...]:
    """The answers worth giving: the best one, rivals that explain the same line, other problems in their own right."""
    if not ranked or ranked[0].confidence < ENOUGH:
        return ()
    best = _first_of_equals(ranked)
    chosen = [best]
    for m in ranked:
        if m is best:
            continue
        same = {x.number for x in m.evidence} & {x.number for x in best.evidence}
        if (same and m.score > best.score - 1.2) or (not same and m.confidence > 0.75):
            chosen.append(m)
    return tuple(chosen[:SHOWN])


def _first_of_equals(ranked: Sequence[Match]) -> Match:
    """The best match, or of several errors as certain the one that struck first: later ones may follow from it."""
    best = ranked[0]
    if best.entry.severity != "error":
        return best
    rivals = [
        m
        for m in ranked
        if m is best
        or (
            m.score > best.score - EQUAL
            and m.entry.severity == "error"
            and failure.kind(m.evidence[0].text) is failure.Kind.ERROR
        )
    ]
    return min(rivals, key=lambda m: m.evidence[0].number)


def _why_not(failed: Line | None, told: Context) -> Reason:
    if told.evidence.foreign:
        return "nvidia"
    if failed is None:
        return "healthy"
    if failure.is_everyday(failed.text) or failure.is_interrupt(failed.text):
        return "python"
    return "unknown" if told.evidence.amd else "no-amd"
