"""Find many literals in much text at the cost of splitting it into words.

A literal can stand in a text only if its words do, the first and the last perhaps as parts of longer
ones. So the words of a block of text are looked at once, as a set; only literals whose most telling
word and whose inner words all are among them are searched for, and each by one pass of ``find``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property

DIGITS = b"0123456789"
_WORD = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_")
_SPLIT = bytes(c if c in _WORD else 32 for c in range(256))
MAX_VOCABULARY = 60_000
SMALL = 1 << 13
"""Bytes of new words in which every key is looked for at once."""
PIECE = 6
"""Letters of a key by which words are chosen to be looked at closer."""
BLOCK = 1 << 13
"""Bytes of text whose words are compared at once: in less text fewer words meet by accident."""


class Prefilter:
    """Literals (without digits, as ``bytes.translate(None, DIGITS)`` leaves them), searched for in many texts."""

    def __init__(self, literals: Iterable[bytes]) -> None:
        self._part: dict[bytes, list[bytes]] = {}
        """Literals by their most telling word when it may be part of a longer word of the text."""
        self._inner: dict[bytes, frozenset[bytes]] = {}
        """Words that stand whole in every text with this literal. Literals given up are not in it."""
        self._hot: dict[bytes, list[bytes]] = {}
        """Words of the text that hold a key, and the literals that come with it."""
        for literal in sorted(set(literals)):
            words = literal.translate(_SPLIT).split()
            # The first and the last word may go on in the text.
            inner = frozenset(
                words[0 if literal[0] not in _WORD else 1 : None if literal[-1] not in _WORD else -1]
            )
            self._inner[literal] = inner
            key = max(words, key=_telling, default=b"")
            if key in inner:
                self._hot.setdefault(key, []).append(literal)
            elif len(key) >= 3:
                # In the text the word ends (or starts) where the literal goes on with something else.
                before = not literal.startswith(key)
                after = not literal.endswith(key)
                self._part.setdefault(b" " * before + key + b" " * after, []).append(literal)
        self._vocabulary: set[bytes] = set()

    def search(self, text: bytes) -> Iterator[tuple[bytes, list[bytes]]]:
        """The lines of the text in which literals stand, with those literals; without the literals given up."""
        blocks = [(block, set(block.translate(_SPLIT).split())) for block in _blocks(text)]
        if fresh := set().union(*(words for _, words in blocks)) - self._vocabulary:
            self._learn(fresh)
        for block, words in blocks:
            yield from self._search(block, words)

    def give_up(self, literal: bytes) -> None:
        """Search for this literal no longer."""
        self._inner.pop(literal, None)

    def _search(self, block: bytes, words: set[bytes]) -> Iterator[tuple[bytes, list[bytes]]]:
        hot, inner = self._hot, self._inner
        found: dict[bytes, list[bytes]] = {}
        for literal in {x for word in hot.keys() & words for x in hot[word]}:
            needed = inner.get(literal)
            if needed is None or not needed <= words:
                continue
            at = block.find(literal)
            while at >= 0:
                end = block.find(b"\n", at)
                end = len(block) if end < 0 else end
                found.setdefault(block[block.rfind(b"\n", 0, at) + 1 : end], []).append(literal)
                at = block.find(literal, end)
        for line, literals in found.items():
            left = [x for x in literals if x in inner]
            if left:
                yield line, sorted(left)

    def _learn(self, fresh: set[bytes]) -> None:
        """Look for the keys in words not met before."""
        blob = b" " + b" ".join(fresh) + b" "
        if len(blob) > SMALL:
            # Words that hold a piece of a key are few, and hold a key or not.
            blob = b" " + b" ".join({_word_at(m.start(), blob) for m in self._pieces.finditer(blob)}) + b" "
        for part, literals in self._part.items():
            for word in _words_with(part, blob):
                have = self._hot.setdefault(word, [])
                have += [x for x in literals if x not in have]
        if len(self._vocabulary) > MAX_VOCABULARY:
            self._vocabulary.clear()
        self._vocabulary |= fresh

    @cached_property
    def _pieces(self) -> re.Pattern[bytes]:
        """Pieces of keys, one of each, that start with a letter that is rare: most of a text is skipped."""
        pieces: dict[bytes, set[bytes]] = {}
        for part in self._part:
            key = part.strip()
            starts = range(max(1, len(key) - PIECE + 2))
            at = max(starts, key=lambda i, key=key: _rarity(key[i : i + PIECE]))  # type: ignore[misc]
            pieces.setdefault(key[at : at + 1], set()).add(key[at + 1 : at + PIECE])
        return re.compile(
            b"|".join(
                first + b"(?:" + b"|".join(sorted(rest)) + b")" for first, rest in sorted(pieces.items())
            )
        )


_FREQUENT = b"etaoinsrlcdhupmgfybvwkxqjz"
"""Letters of English and of program text, the most frequent first."""


def _rarity(piece: bytes) -> float:
    """How rare a piece of text is likely to be; its first letter weighs most."""
    ranks = [_FREQUENT.find(c) if c in _FREQUENT else len(_FREQUENT) for c in piece]
    return sum(rank / (1 + i) for i, rank in enumerate(ranks))


def _words_with(part: bytes, blob: bytes) -> Iterator[bytes]:
    """The words of a blob (between spaces) in which a part stands; the part may hold the spaces themselves."""
    at = blob.find(part)
    while at >= 0:
        yield _word_at(at, blob)
        at = blob.find(part, blob.find(b" ", at + 1) - 1)


def _word_at(at: int, blob: bytes) -> bytes:
    """The word that stands at (or, at a space, after) a place."""
    return blob[blob.rfind(b" ", 0, at + 1) + 1 : blob.find(b" ", at + 1)]


def _blocks(text: bytes) -> Iterator[bytes]:
    """The text in pieces of whole lines."""
    start = 0
    while start < len(text):
        end = len(text)
        if end - start > BLOCK:
            end = text.rfind(b"\n", start, start + BLOCK) + 1 or text.find(b"\n", start) + 1 or end
        yield text[start:end]
        start = end


_COMMON = frozenset(
    b"error errors failed failure invalid argument arguments function supported unsupported available attribute directory "
    b"undefined symbol required implemented compatible requested requires library libraries package packages version object "
    b"module modules device devices memory python torch cuda value values found find file files cannot could unable should "
    b"because object shared open such matching name names unknown type types while during above exception another line "
    b"calling called expected number missing specified configuration provided runtime process running loading loaded load".split()
)


def _telling(word: bytes) -> int:
    """How rare a word is likely to be: long, or with capitals or underscores inside, and not of everyday use."""
    inside = word[1:]
    rare = 4 * (b"_" in inside) + 4 * (inside != inside.lower() and inside != inside.upper())
    return 2 * len(word) + rare - 5 * (word.lower() in _COMMON)
