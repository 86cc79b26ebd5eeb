"""All signatures of a knowledge base, ready to be searched for.

Reading a regular expression to find its literals, and compiling it, take far longer than a small log
takes to search. So the literals are kept with the entries' heads, and an entry is decoded and its
regular expression compiled when one of its literals has been seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import overload

from . import signature
from .model import Entry, Signature
from .signature import Pattern, compile_signature
from .store import KnowledgeBase

Owned = tuple[Entry, Signature]


class Signatures(Sequence[Owned]):
    """Signatures with their entries, by number."""

    def __init__(self, base: KnowledgeBase) -> None:
        self._base = base
        self._places = [(h.code, i) for h in base.heads for i in range(len(h.literals))]

    @overload
    def __getitem__(self, number: int) -> Owned: ...
    @overload
    def __getitem__(self, number: slice) -> list[Owned]: ...
    def __getitem__(self, number: int | slice) -> Owned | list[Owned]:
        if isinstance(number, slice):
            return [self[n] for n in range(*number.indices(len(self)))]
        code, i = self._places[number]
        entry = self._base.by_code[code]
        return entry, entry.signatures[i]

    def __iter__(self) -> Iterator[Owned]:
        return map(self.__getitem__, range(len(self)))

    def __len__(self) -> int:
        return len(self._places)


class Index:
    """The signatures of a knowledge base, by number, and the literals that lead to them."""

    def __init__(self, base: KnowledgeBase) -> None:
        self.signatures = Signatures(base)
        self._literals = [x for h in base.heads for x in h.literals]

    def pattern(self, number: int) -> Pattern:
        """The compiled signature with this number."""
        return compile_signature(self.signatures[number][1], self._literals[number])

    @cached_property
    def by_literal(self) -> dict[str, list[int]]:
        """Literal to the numbers of the signatures that need it."""
        found: dict[str, list[int]] = {}
        for number, literals in enumerate(self._literals):
            for literal in literals:
                found.setdefault(literal, []).append(number)
        return found

    @cached_property
    def context_literals(self) -> frozenset[str]:
        """Literals of everything that signatures want beside them or absent."""
        items = {item for _, s in self.signatures for item in (*s.beside, *s.absent)}
        return frozenset(x for item in items for x in signature.context_literals(item))


@lru_cache(maxsize=4)
def index_of(base: KnowledgeBase) -> Index:
    """The index of a knowledge base, built once."""
    return Index(base)
