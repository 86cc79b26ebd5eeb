"""Signatures: how one is compiled, what a log must hold for it to match, and why it runs in linear time.

A signature is a literal or a regular expression of a small dialect that cannot blow up:

* no look-around, back-references, inline flags, possessive or atomic parts;
* no repeat inside a repeat, unless the inner one is fixed;
* ``*``, ``+`` and ``{n,}`` only on characters that cannot continue the match (``[0-9]+ ms``, never ``.*``);
* other repeats up to 200, and few of them that overlap what follows (``.{0,80}``).

Every match must contain a literal of at least four characters. Logs are searched for those literals
first; a regular expression only ever sees a window around one of them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from .model import Signature

if sys.version_info >= (3, 11):
    from re import _constants as sre  # type: ignore[attr-defined]
    from re import _parser as parser  # type: ignore[attr-defined]
else:  # the same modules under their old names
    import sre_constants as sre
    import sre_parse as parser

MIN_LITERAL = 4
MAX_REPEAT = 200
MAX_WAYS = 1_000_000
"""Upper bound of the ways in which one signature can try to match from one position."""
WINDOW = 1000
"""Characters on each side of a literal that a regular expression may look at."""

_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "\u00a0": " "})


def plain(text: str) -> str:
    """Typographic quotes and spaces as plain ones: compilers and mail programs use either."""
    return text if text.isascii() else text.translate(_QUOTES)


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled literal or regular expression. One of ``literals`` stands in every match."""

    literals: tuple[str, ...]
    regex: re.Pattern[str] | None = None

    def found_in(self, line: str) -> bool:
        """Whether the pattern matches in a (cleaned) line."""
        for literal in self.literals:
            at = line.find(literal)
            while at >= 0:
                if self.regex is None:
                    return True
                start = max(0, at - WINDOW)
                if self.regex.search(line, start, at + len(literal) + WINDOW):
                    return True
                # Literals in the first half of what follows had their full context in this window.
                at = line.find(literal, at + WINDOW // 2)
        return False


@cache
def compile_text(text: str) -> Pattern:
    """A literal as a pattern."""
    return Pattern((plain(text),))


@cache
def compile_regex(regex: str, literals: tuple[str, ...] = ()) -> Pattern:
    """A regular expression as a pattern. It must have no ``problems``. Its literals are found when not given."""
    regex = plain(regex)
    return Pattern(literals or required_literals(regex), re.compile(regex))


def compile_signature(signature: Signature, literals: tuple[str, ...] = ()) -> Pattern:
    """The pattern of a signature's ``text`` or ``regex``."""
    if signature.text is not None:
        return compile_text(signature.text)
    return compile_regex(signature.regex or "", literals)


def literals(signature: Signature) -> tuple[str, ...]:
    """Literals of which one stands in every line that the signature matches."""
    if signature.text is not None:
        return (plain(signature.text),)
    return required_literals(signature.regex or "")


def context_literals(item: str) -> tuple[str, ...]:
    """The same for a ``beside`` or ``absent`` item."""
    return required_literals(item[1:-1]) if is_regex(item) else (plain(item),)


def compile_context(item: str) -> Pattern:
    """The pattern of a ``beside`` or ``absent`` item: a literal, or a regular expression between slashes."""
    return compile_regex(item[1:-1]) if is_regex(item) else compile_text(item)


_PATH = re.compile(r"/[\w./-]+/")


def is_regex(item: str) -> bool:
    """Whether a context item is a regular expression between slashes, and not a path such as ``/mnt/c/``."""
    return len(item) > 2 and item.startswith("/") and item.endswith("/") and not _PATH.fullmatch(item)


def problems(signature: Signature) -> list[tuple[str, str]]:
    """What is wrong with a signature, as (field, message) pairs."""
    found: list[tuple[str, str]] = []
    if signature.text is not None:
        if len(signature.text.strip()) < MIN_LITERAL:
            found.append(("text", f"a literal needs at least {MIN_LITERAL} characters"))
        if "\n" in signature.text.strip("\n") or signature.text != signature.text.strip():
            found.append(("text", "a literal stands inside one line and does not start or end with a space"))
    if signature.regex is not None:
        found += [("regex", message) for message in regex_problems(signature.regex)]
    for name in ("beside", "absent"):
        for i, item in enumerate(getattr(signature, name)):
            if is_regex(item):
                found += [(f"{name}[{i}]", message) for message in regex_problems(item[1:-1], literal=2)]
            elif len(item) < 2:
                found.append((f"{name}[{i}]", "a context literal needs at least two characters"))
    return found


def regex_problems(regex: str, *, literal: int = MIN_LITERAL) -> list[str]:
    """Why a regular expression is not of the linear dialect; empty when it is."""
    try:
        tree = parser.parse(plain(regex))
    except re.error as e:
        return [f"not a regular expression: {e}"]
    if tree.state.flags & ~(re.UNICODE):
        return ["inline flags are not allowed"]
    found = list(dict.fromkeys(_shape_problems(list(tree), inside=False)))
    if not found:
        ways = _ways(list(tree), frozenset())
        if ways > MAX_WAYS:
            found.append(f"can try {ways:,} ways to match from one position; use fewer or shorter gaps")
        shortest = min(map(len, required_literals(regex)), default=0)
        if shortest < literal:
            found.append(
                f"every match must contain a literal of at least {literal} characters, found {shortest}"
            )
    return found


_SIMPLE = {sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN, sre.AT}
_REPEATS = {sre.MAX_REPEAT, sre.MIN_REPEAT}


def _shape_problems(nodes: list[Any], *, inside: bool) -> Iterator[str]:
    """Constructs outside the dialect; ``inside`` a repeat no other variable repeat may stand."""
    for op, value in nodes:
        if op in _SIMPLE:
            continue
        if op is sre.SUBPATTERN:
            if value[1] or value[2]:
                yield "inline flags are not allowed"
            yield from _shape_problems(list(value[3]), inside=inside)
        elif op is sre.BRANCH:
            for branch in value[1]:
                yield from _shape_problems(list(branch), inside=inside)
        elif op in _REPEATS:
            low, high, body = value
            if inside and low != high:
                yield "a repeat inside a repeat is not allowed"
            if high is not sre.MAXREPEAT and high > MAX_REPEAT:
                yield f"a repeat goes up to {MAX_REPEAT}, not {high}"
            if high is sre.MAXREPEAT and not _single(list(body)):
                yield "only a single character or class may be repeated without limit"
            yield from _shape_problems(list(body), inside=inside or high != 1)
        else:
            yield f"{str(op).lower().replace('_', ' ')} is not allowed"


def _single(nodes: list[Any]) -> bool:
    return len(nodes) == 1 and nodes[0][0] in _SIMPLE - {sre.AT}


_ALPHABET = frozenset(range(9, 127)) | {0x2018, 0x4E00}
"""Characters by which overlap of classes is judged: ASCII, one typographic and one CJK character."""


def _chars(node: Any) -> frozenset[int]:
    """Characters of the sample alphabet that a simple node accepts."""
    op, value = node
    if op is sre.LITERAL:
        return frozenset({value})
    if op is sre.NOT_LITERAL:
        return _ALPHABET - {value}
    if op is sre.ANY:
        return _ALPHABET - {10}
    if op is sre.IN:
        pattern = re.compile(_class_source(value))
        return frozenset(c for c in _ALPHABET if pattern.match(chr(c)))
    return frozenset()


_CATEGORIES = {
    sre.CATEGORY_DIGIT: r"\d",
    sre.CATEGORY_NOT_DIGIT: r"\D",
    sre.CATEGORY_SPACE: r"\s",
    sre.CATEGORY_NOT_SPACE: r"\S",
    sre.CATEGORY_WORD: r"\w",
    sre.CATEGORY_NOT_WORD: r"\W",
}


def _class_source(items: list[Any]) -> str:
    parts = []
    for op, value in items:
        if op is sre.NEGATE:
            parts.append("^")
        elif op is sre.LITERAL:
            parts.append(re.escape(chr(value)))
        elif op is sre.RANGE:
            parts.append(f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}")
        else:
            parts.append(_CATEGORIES[value])
    return f"[{''.join(parts)}]"


def _first(nodes: list[Any], after: frozenset[int]) -> frozenset[int]:
    """Characters that can stand next; ``after`` when the nodes can match nothing."""
    for i, (op, value) in enumerate(nodes):
        rest = nodes[i + 1 :]
        if op is sre.AT:
            continue
        if op in _SIMPLE:
            return _chars((op, value))
        if op is sre.SUBPATTERN:
            return _first(list(value[3]) + rest, after)
        if op is sre.BRANCH:
            return frozenset().union(*(_first(list(b) + rest, after) for b in value[1]))
        low, _, body = value
        start = _first(list(body), frozenset())
        return start if low else start | _first(rest, after)
    return after


def _ways(nodes: list[Any], after: frozenset[int]) -> int:
    """Upper bound of the ways in which the nodes can match from one position.

    A repeat counts only when its characters overlap what may follow it: otherwise there is one place to stop.
    """
    ways = 1
    for i, (op, value) in enumerate(nodes):
        rest = nodes[i + 1 :]
        if op is sre.SUBPATTERN:
            ways *= _ways(list(value[3]), _first(rest, after))
        elif op is sre.BRANCH:
            ways *= sum(_ways(list(b), _first(rest, after)) for b in value[1])
        elif op in _REPEATS:
            low, high, body = value
            follow = _first(rest, after)
            overlap = bool(_first(list(body), frozenset()) & follow)
            if high is sre.MAXREPEAT:
                ways *= MAX_WAYS + 1 if overlap else 1
            elif low != high and overlap:
                ways *= high - low + 1
            inner = _ways(list(body), follow)
            if inner > 1:
                ways *= inner ** min(high, 20)
        ways = min(ways, 10**12)
    return ways


@cache
def required_literals(regex: str) -> tuple[str, ...]:
    """Literals of which one stands in every match; empty when there is none."""
    return _required(list(parser.parse(plain(regex))))


def _required(nodes: list[Any]) -> tuple[str, ...]:
    candidates: list[tuple[str, ...]] = []
    run = ""

    def flush() -> None:
        nonlocal run
        if run:
            candidates.append((run,))
        run = ""

    for op, value in _flat(nodes):
        if op is sre.LITERAL:
            run += chr(value)
            continue
        if op is sre.AT:
            continue
        before = run
        flush()
        if op is sre.BRANCH:
            branches = [_required(list(b)) for b in value[1]]
            if all(branches):
                words = [_literal_text(list(b)) for b in value[1]]
                if None not in words:
                    branches = [(before + (w or ""),) for w in words]
                candidates.append(tuple(dict.fromkeys(x for b in branches for x in b)))
        elif op in _REPEATS and value[0] >= 1:
            candidates.append(_required(list(value[2])))
    flush()
    return max(candidates, key=_usefulness, default=())


def _usefulness(choice: tuple[str, ...]) -> tuple[bool, int]:
    """The longest literal wins; a choice of several costs more to search for."""
    shortest = min(map(len, choice), default=0)
    return shortest >= MIN_LITERAL, shortest - 2 * (len(choice) - 1)


def _literal_text(nodes: list[Any]) -> str | None:
    """The nodes as plain text, when they are nothing else."""
    flat = list(_flat(nodes))
    if any(op is not sre.LITERAL for op, _ in flat):
        return None
    return "".join(chr(value) for _, value in flat)


def _flat(nodes: list[Any]) -> Iterator[Any]:
    """Nodes with groups dissolved, so that literals run on across them."""
    for op, value in nodes:
        if op is sre.SUBPATTERN:
            yield from _flat(list(value[3]))
        else:
            yield op, value
