"""CUDA C++ as tokens, with brackets matched and preprocessor lines set apart.

Real .cu files are full of macros and of ``#if`` inside statements, which damage every syntax tree (one
file in five has an ERROR node), while tokens and brackets stay readable. So rules read tokens; the tree
(``Unit.tree``) serves to prove that a rewrite has not broken the file.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import accumulate
from operator import sub

# kinds of tokens
WORD, PUNCT, NUMBER, STRING, DIRECTIVE = 1, 2, 3, 6, 9

_STRING = r'''"[^"\\\n]*(?:\\[\s\S][^"\\\n]*)*"'''
_CHARACTER = r"""'(?:\\[\s\S]|[^'\\\n])+'"""
_COMMENT = r"""/(?:/[^\n\\]*(?:\\(?:\r?\n)?[^\n\\]*)*|\*[^*]*(?:\*(?!/)[^*]*)*(?:\*/|\Z))"""
_RAW_REST = r""""(?P<d>[^()\\\s]{0,16})\([\s\S]*?(?:\)(?P=d)"|\Z)"""


class _Patterns:
    """The expressions that see every byte.

    ``lenient`` is for lines full of escaped quotes, where each open quote would search its partner up to the
    end of the line: there it takes the rest of the line with it.
    """

    def __init__(self, *, lenient: bool) -> None:
        mark = "?" if lenient else ""
        # White space in front is part of each match, so that the matches cover the text: one call of findall
        # gives all tokens, and the sums of their lengths where they end. Frequent alternatives come first.
        tokens = rf"""\s*(?:[A-Za-z_]\w*\b(?!["'])
            |::|[(){{}}\[\];,~?:]
            |\.?[0-9](?:[eEpP][+-]|'[0-9A-Za-z]|[\w.])*
            |<<<|>>>|->|<<=|>>=|<<|>>|&&|\|\||[-+*%&|^!=<>]=|/=|\+\+|--|\.\.\.|\#\#|[-+*%&|^!=<>.]
            |(?:u8|[LuU])?(?:RAW{_STRING}{mark}|{_CHARACTER}{mark})
            |[A-Za-z_]\w*
            |\#[ \t]*[A-Za-z_]*|[^\s])"""
        self.token = re.compile(tokens.replace("RAW", ""), re.VERBOSE)
        self.token_or_raw = re.compile(tokens.replace("RAW", f"R{_RAW_REST}|"), re.VERBOSE)
        # What hides comment signs, and the comments. Every alternative starts with a literal: the search skips
        # all else fast. A lone quote is found as well: a raw string may start there.
        string = f"{_STRING}{mark}" if lenient else f'"(?:{_STRING[1:]})?'
        self.comment = re.compile(f"{_COMMENT}|{string}|{_CHARACTER}{mark}")
        self.line = re.compile(
            rf"""(?://(?:\\\r?\n|[^\n])*|/\*[\s\S]*?(?:\*/|\Z)|"(?:\\[^\n]|[^"\\\n])*"{mark}|\\\r?\n|[^\n])*"""
        )


_STRICT, _LENIENT = _Patterns(lenient=False), _Patterns(lenient=True)
_MANY_ESCAPES = 2000
_RAW = re.compile(_RAW_REST)
_RAW_PREFIX = re.compile(r"(?<!\w)(?:u8|[LuU])?R\Z")
_IN_NUMBER = re.compile(r"(?<!\w)[0-9](?:[eEpP][+-]|'[0-9A-Za-z]|[\w.])*\Z")
_CLOSES = {")": "(", "]": "[", "}": "{", ">>>": "<<<"}
_BRACKETS = (*_CLOSES, *_CLOSES.values())
_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_")
_DIGITS = frozenset("0123456789")
_HEX = frozenset("0123456789abcdefABCDEF")


@dataclass(slots=True)
class Directive:
    """One preprocessor line. ``first`` and ``last`` delimit its tokens (after the directive's name)."""

    name: str
    start: int
    end: int
    first: int
    last: int
    token: int


@dataclass
class Tokens:
    """The tokens of one text, in order; the lists run in parallel.

    ``text`` is the file as Latin-1, so that indices are the byte offsets of the UTF-8 data. Comments are
    not tokens; they lie in ``comments``. ``match`` maps the index of every bracket to its partner.
    ``home`` maps the index of a directive's tokens to that directive (other tokens have no entry).
    """

    text: str
    kinds: bytearray = field(default_factory=bytearray)
    starts: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    words: dict[str, list[int]] = field(default_factory=dict)
    match: dict[int, int] = field(default_factory=dict)
    directives: list[Directive] = field(default_factory=list)
    comments: list[tuple[int, int]] = field(default_factory=list)
    opens: list[int] = field(default_factory=list)
    """Indices of all opening braces outside of directives, in order."""
    launches: list[int] = field(default_factory=list)
    """Indices of all ``<<<`` tokens."""

    def end(self, i: int) -> int:
        return self.starts[i] + len(self.texts[i])


_PADDING = 8
"""Empty tokens behind the last one: a truncated file gives rules that look a few tokens ahead nothing to trip over."""


def _kind(t: str) -> int:
    """The kind of a token by its text; whether a ``#`` starts a directive depends on its place."""
    first = t[0]
    if first in _LETTERS:
        return STRING if t[-1] in "\"'" else WORD
    if first in _DIGITS or (first == "." and t[1:2] in _DIGITS):
        return NUMBER
    return STRING if first in "\"'" and len(t) > 1 else PUNCT


def tokenize(data: bytes) -> Tokens:
    """Split a text into tokens. Never fails: an unbalanced bracket just has no partner."""
    text = data.decode("latin-1")
    escapes = text.count('\\"') + text.count("\\'") if "\\" in text else 0
    patterns = _LENIENT if escapes > _MANY_ESCAPES else _STRICT
    comments = _comments(text, patterns) if "//" in text or "/*" in text else []
    blanked = _blanked(text, comments)
    # Without the blanks at the end every match finds a token: searched for one, they would cost their square.
    stop = len(blanked.rstrip())
    if 'R"' in text:
        pieces = [m.group() for m in patterns.token_or_raw.finditer(blanked, 0, stop)]
    else:
        pieces = patterns.token.findall(blanked, 0, stop)
    texts = list(map(str.lstrip, pieces))
    starts = list(map(sub, accumulate(map(len, pieces)), map(len, texts)))
    places: defaultdict[str, list[int]] = defaultdict(list)
    for i, t in enumerate(texts):
        places[t].append(i)
    kind_of = {t: _kind(t) for t in places}
    kinds = bytearray(map(kind_of.__getitem__, texts))
    words = {t: found for t, found in places.items() if kind_of[t] == WORD}
    out = Tokens(text, kinds, starts, texts, words, comments=comments)
    _read_lines(out, places, patterns)
    kinds += bytes(_PADDING)
    starts += [len(text)] * _PADDING
    texts += [""] * _PADDING
    return out


def _comments(text: str, patterns: _Patterns) -> list[tuple[int, int]]:
    """Where the comments are: from their first to behind their last character."""
    found: list[tuple[int, int]] = []
    search = patterns.comment.search
    m = search(text)
    while m is not None:
        start, at = m.span()
        first = text[start]
        if first == "/":
            found.append((start, at))
        elif start:
            before = text[start - 1]
            if first == "'":
                if before in _HEX and _IN_NUMBER.search(text, max(0, start - 80), start):
                    at = start + 1  # 1'000'000
            elif before == "R" and _RAW_PREFIX.search(text, max(0, start - 4), start):
                raw = _RAW.match(text, start)
                if raw is not None:
                    at = raw.end()
        m = search(text, at)
    return found


def _blanked(text: str, spans: list[tuple[int, int]]) -> str:
    """The text with blanks in place of these spans."""
    parts: list[str] = []
    at = 0
    for start, end in spans:
        parts += (text[at:start], " " * (end - start))
        at = end
    return "".join([*parts, text[at:]])


def _read_lines(out: Tokens, places: dict[str, list[int]], patterns: _Patterns) -> None:
    """Set the directives apart and match the brackets, in one pass over these tokens."""
    text, kinds, starts, texts, match = out.text, out.kinds, out.starts, out.texts, out.match
    events = [i for t in _BRACKETS if t in places for i in places[t]]
    if "#" in text:
        events += [i for t, found in places.items() if t[0] == "#" and t != "##" for i in found]
    events.sort()
    stack: list[int] = []
    saved: list[list[int]] = []  # bracket stacks at the open #if's: every branch starts from the same depth
    main = stack
    directive: Directive | None = None
    limit = 0
    for index in events:
        if directive is not None and starts[index] >= limit:
            directive.last = bisect_left(starts, limit, directive.first, index)
            directive = None
            stack = main
        t = texts[index]
        if t[0] == "#":
            start = starts[index]
            if directive is not None or text[text.rfind("\n", 0, start) + 1 : start].strip():
                continue
            name = t.lstrip(" \t#")
            behind = start + len(t)
            line = patterns.line.match(text, behind)
            limit = max(line.end() if line else behind, behind + 1)
            if name in ("if", "ifdef", "ifndef"):
                saved.append(list(main))
            elif name in ("else", "elif", "elifdef", "elifndef") and saved:
                main = list(saved[-1])
            elif name == "endif" and saved:
                saved.pop()
            kinds[index] = DIRECTIVE
            directive = Directive(name, start, limit, index + 1, index + 1, index)
            out.directives.append(directive)
            stack = []
            continue
        want = _CLOSES.get(t)
        if want is None:
            if t == "<<<":
                if directive is not None and directive.name != "define":
                    continue
                out.launches.append(index)
            elif t == "{" and directive is None:
                out.opens.append(index)
            stack.append(index)
        else:
            if t == ">>>":
                # ends a launch only where one is open, else it closes template arguments
                if not (stack and texts[stack[-1]] == "<<<"):
                    continue
            elif stack and texts[stack[-1]] == "<<<":
                stack.pop()
            if stack and texts[stack[-1]] == want:
                partner = stack.pop()
                match[partner] = index
                match[index] = partner
            elif t != ">>>":
                # Recover: a missing closer inside; drop back to the nearest opener of this kind.
                for depth in range(len(stack) - 1, max(-1, len(stack) - 4), -1):
                    if texts[stack[depth]] == want:
                        partner = stack[depth]
                        del stack[depth:]
                        match[partner] = index
                        match[index] = partner
                        break
        if directive is None:
            main = stack
    if directive is not None:
        directive.last = bisect_left(starts, limit, directive.first)
