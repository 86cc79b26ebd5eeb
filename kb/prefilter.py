"""Find many literals in many lines at the cost of splitting the lines into words.

A literal can stand in a line only if its most telling word does, alone or as part of a longer word. So
words are looked at once, when they first come up, and a line is searched only for the literals whose
word it holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

DIGITS = b"0123456789"
_WORD = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_")
_SPLIT = bytes(c if c in _WORD or c == 10 else 32 for c in range(256))
MAX_VOCABULARY = 60_000


class Prefilter:
    """Literals (without digits, as ``bytes.translate(None, DIGITS)`` leaves them), searched for in many texts."""

    def __init__(self, literals: Iterable[bytes]) -> None:
        self._whole: dict[bytes, list[bytes]] = {}
        self._part: dict[bytes, list[bytes]] = {}
        """Literals by their most telling word: one that stands alone in the text, or that may be part of a word."""
        self._inner: dict[bytes, frozenset[bytes]] = {}
        for literal in sorted(set(literals)):
            words = literal.translate(_SPLIT).split()
            # The first and the last word may go on in the text.
            inner = frozenset(
                words[0 if literal[0] not in _WORD else 1 : None if literal[-1] not in _WORD else -1]
            )
            self._inner[literal] = inner
            key = max(words, key=_telling, default=b"")
            if key in inner:
                self._whole.setdefault(key, []).append(literal)
            elif len(key) >= 3:
                # In the text the word ends (or starts) where the literal goes on with something else.
                before = not literal.startswith(key)
                after = not literal.endswith(key)
                self._part.setdefault(b" " * before + key + b" " * after, []).append(literal)
        self._vocabulary: set[bytes] = set()
        self._hot: dict[bytes, list[bytes]] = {word: list(found) for word, found in self._whole.items()}
        """Words of the text that hold a key, and the literals that come with it."""

    def search(self, text: bytes) -> Iterator[tuple[bytes, list[bytes]]]:
        """The lines of the text in which literals stand, with those literals; without the literals given up."""
        bare = text.translate(_SPLIT)
        fresh = set(bare.split()) - self._vocabulary
        if fresh:
            self._learn(fresh)
        hot = self._hot
        nothing_in = hot.keys().isdisjoint
        for line, words in zip(text.split(b"\n"), bare.split(b"\n"), strict=True):
            split = words.split()
            if nothing_in(split):
                continue
            own = set(split)
            found = [x for w in own if w in hot for x in hot[w] if self._inner[x] <= own and x in line]
            if found:
                yield line, found

    def give_up(self, literal: bytes) -> None:
        """Search for this literal no longer."""
        for table in (self._whole, self._part, self._hot):
            for word in [w for w, found in table.items() if literal in found]:
                table[word].remove(literal)
                if not table[word]:
                    del table[word]

    def _learn(self, fresh: set[bytes]) -> None:
        """Look for the keys in words not met before."""
        blob = b" " + b" ".join(fresh) + b" "
        for part, literals in self._part.items():
            at = blob.find(part)
            while at >= 0:
                start = blob.rfind(b" ", 0, at + 1) + 1
                end = blob.find(b" ", at + 1)
                have = self._hot.setdefault(blob[start:end], [])
                have += [x for x in literals if x not in have]
                at = blob.find(part, end - 1)
        if len(self._vocabulary) > MAX_VOCABULARY:
            self._vocabulary.clear()
        self._vocabulary |= fresh


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
