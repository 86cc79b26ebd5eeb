"""Signatures that a damaged line resembles: read from a screenshot, cut off, re-worded by a translator.

Only asked when nothing matches exactly, and only for logs with evidence of AMD: resemblance alone
never makes an answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from . import evidence, failure
from .clean import Line
from .index import Index
from .signature import plain

MIN_LENGTH = 20
"""Letters that a signature (and what is left of a line) must have to be recognised when damaged."""
CUT_OFF = 91.0
MAX_LINES = 16
_LOOK_ALIKES = str.maketrans("01|!i58$", "ollllsbs")


def fold(text: str) -> str:
    """Letters and digits only, lower case, with what a scanner confuses made equal."""
    letters = re.sub(r"[^a-z0-9|!$]", "", text.lower()).translate(_LOOK_ALIKES)
    return letters.replace("rn", "m").replace("vv", "w")


@lru_cache(maxsize=2)
def _folded(index: Index) -> tuple[dict[int, str], dict[int, tuple[str, ...]]]:
    """Signatures folded, and what speaks of AMD or names a thing in each.

    One of those names must be left in the line, or "I/O error" looks like "HIP error" and a missing
    package "GTest" like a missing "hip".
    """
    known: dict[int, str] = {}
    names: dict[int, tuple[str, ...]] = {}
    for number, (_, signature) in enumerate(index.signatures):
        if signature.text is not None and signature.role != "hint":
            folded = fold(plain(signature.text))
            if len(folded) >= MIN_LENGTH:
                known[number] = folded
                names[number] = tuple(fold(w) for w in signature.text.split() if _tells(w))
    return known, names


def resembling(index: Index, lines: Sequence[Line]) -> Iterator[tuple[int, Line, float]]:
    """(signature number, line, likeness from 0 to 1) for the lines that look like a signature."""
    known, names = _folded(index)
    seen: set[str] = set()
    for line in lines:
        text = fold(line.text)
        if len(text) < MIN_LENGTH or text in seen:
            continue
        if failure.is_everyday(line.text) and not evidence.speaks_of_amd(line.text):
            continue
        seen.add(text)
        exact = [number for number, folded in known.items() if folded in text]
        if exact:
            yield from ((number, line, 0.95) for number in exact)
        elif len(seen) <= MAX_LINES:
            for number, score in _alike(text[:600], known):
                if not names[number] or any(n in text for n in names[number]):
                    yield number, line, score


def _tells(word: str) -> bool:
    """Whether the word speaks of AMD or is the name of something (quoted, capitals, a file, an identifier)."""
    if len(word) > 2 and word.isupper():
        return True
    return (
        evidence.speaks_of_amd(word)
        or word[0] in "\"'`"
        or re.search(r"[a-z0-9][._][a-z0-9]", word) is not None
    )


def _alike(text: str, known: dict[int, str]) -> list[tuple[int, float]]:
    from rapidfuzz import fuzz, process

    found = []
    for folded, score, number in process.extract(
        text, known, scorer=fuzz.partial_ratio, score_cutoff=CUT_OFF, limit=5, processor=None
    ):
        # Of a line that was cut off, most of the signature must be left.
        if min(len(text), len(folded)) >= max(MIN_LENGTH, 0.8 * len(folded)):
            found.append((number, 0.85 * score / 100))
    return found
