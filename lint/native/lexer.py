"""CUDA C++ as tokens, with brackets matched and preprocessor lines set apart.

Real .cu files are full of macros and of ``#if`` inside statements, which damage every syntax tree (one
file in five has an ERROR node), while tokens and brackets stay readable. So rules read tokens; the tree
(``Unit.tree``) serves to prove that a rewrite has not broken the file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

# group numbers of _TOKEN; kinds of tokens
WORD, PUNCT, NUMBER, COMMENT, STRING, DIRECTIVE = 1, 2, 3, 5, 6, 9
_OPERATOR, _JOINED = (
    4,
    8,
)  # further groups: operators are PUNCT; a word right before a quote is a WORD; 7 is a raw delimiter

# White space in front is part of the match, and frequent alternatives come first: this expression sees every byte.
_TOKEN = re.compile(
    r"""\s*(?:([A-Za-z_]\w*\b(?!["']))
    |(::|[(){}\[\];,~?:])
    |(\.?[0-9](?:[eEpP][+-]|'[0-9A-Za-z]|[\w.])*)
    |(<<<|>>>|->|<<=|>>=|<<|>>|&&|\|\||[-+*%&|^!=<>]=|/=|\+\+|--|\.\.\.|\#\#|[-+*%&|^!=<>.])
    |(//(?:\\\r?\n|[^\n])*|/\*[\s\S]*?(?:\*/|\Z))
    |((?:u8|[LuU])?(?:R"(?P<d>[^()\\\s]{0,16})\([\s\S]*?\)(?P=d)"|"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])+'))
    |([A-Za-z_]\w*)
    |(\#[ \t]*[A-Za-z_]*|[^\s]))""",
    re.VERBOSE,
)
_LOGICAL_LINE = re.compile(
    r"""(?://(?:\\\r?\n|[^\n])*|/\*[\s\S]*?(?:\*/|\Z)|"(?:\\[^\n]|[^"\\\n])*"|\\\r?\n|[^\n])*"""
)
_CLOSES = {")": "(", "]": "[", "}": "{", ">>>": "<<<"}
_OPENS = frozenset(_CLOSES.values())


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
    kinds: list[int] = field(default_factory=list)
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


def tokenize(data: bytes) -> Tokens:
    """Split a text into tokens. Never fails: an unbalanced bracket just has no partner."""
    text = data.decode("latin-1")
    out = Tokens(text)
    kinds, starts, texts, words, match = out.kinds, out.starts, out.texts, out.words, out.match
    stack: list[int] = []
    saved: list[list[int]] = []  # bracket stacks at the open #if's: every branch starts from the same depth
    main = stack
    directive: Directive | None = None
    limit = len(text) + 1
    # Without the blanks at the end every match finds a token: searched for one, they would cost their square.
    for m in _TOKEN.finditer(text, 0, len(text.rstrip())):
        kind = m.lastindex or DIRECTIVE
        start = m.start(kind)
        if start >= limit:
            if directive is not None:
                directive.last = len(kinds)
                directive = None
            stack, limit = main, len(text) + 1
        if kind == WORD:
            t = m.group(WORD)
            here = words.get(t)
            if here is None:
                words[t] = [len(kinds)]
            else:
                here.append(len(kinds))
            kinds.append(WORD)
            starts.append(start)
            texts.append(t)
            continue
        if kind == COMMENT:
            out.comments.append((start, m.end()))
            continue
        t = m.group(kind)
        if kind == _JOINED:
            words.setdefault(t, []).append(len(kinds))
            kinds.append(WORD)
            starts.append(start)
            texts.append(t)
            continue
        if kind == DIRECTIVE and (
            t[0] != "#" or directive is not None or text[text.rfind("\n", 0, start) + 1 : start].strip()
        ):
            kind = PUNCT
        if kind == DIRECTIVE:
            name = t.lstrip(" \t#")
            line = _LOGICAL_LINE.match(text, m.end())
            limit = max(line.end() if line else m.end(), m.end() + 1)
            if name in ("if", "ifdef", "ifndef"):
                saved.append(list(main))
            elif name in ("else", "elif", "elifdef", "elifndef") and saved:
                main = list(saved[-1])
            elif name == "endif" and saved:
                saved.pop()
            kinds.append(DIRECTIVE)
            starts.append(start)
            texts.append(t)
            directive = Directive(name, start, limit, len(kinds), len(kinds), len(kinds) - 1)
            out.directives.append(directive)
            stack = []
            continue
        index = len(kinds)
        kinds.append(PUNCT if kind == _OPERATOR else kind)
        starts.append(start)
        texts.append(t)
        if t in _OPENS:
            if t == "<<<":
                if directive is not None and directive.name != "define":
                    continue
                out.launches.append(index)
            elif t == "{" and directive is None:
                out.opens.append(index)
            stack.append(index)
        elif t in _CLOSES:
            want = _CLOSES[t]
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
        directive.last = len(kinds)
    kinds += [0] * _PADDING
    starts += [len(text)] * _PADDING
    texts += [""] * _PADDING
    return out
