"""All signatures of a knowledge base, ready to be searched for.

Reading a regular expression to find its literals, and compiling it, take far longer than a small log
takes to search. So the literals are kept in a cache file beside that of the entries, and a regular
expression is compiled when one of its literals has been seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path

from . import signature
from .compiled import compiled, state
from .model import Entry, Signature
from .signature import Pattern, compile_signature
from .store import KnowledgeBase


class Index:
    """The signatures of a knowledge base, by number, and the literals that lead to them."""

    def __init__(self, base: KnowledgeBase) -> None:
        self.signatures: list[tuple[Entry, Signature]] = [
            (entry, s) for entry in base if entry.status != "retired" for s in entry.signatures
        ]
        self._literals = _literals([s for _, s in self.signatures])

    def pattern(self, number: int) -> Pattern:
        """The compiled signature with this number."""
        return compile_signature(self.signatures[number][1])

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


def _literals(signatures: Sequence[Signature]) -> list[tuple[str, ...]]:
    """The required literals of each signature, from the compiled copy when there is one."""
    key = "\0".join(s.text if s.text is not None else f"/{s.regex}/" for s in signatures)
    try:
        key += state((Path(signature.__file__),))
    except OSError:
        return [signature.literals(s) for s in signatures]
    return compiled("index", key, list[tuple[str, ...]], lambda: [signature.literals(s) for s in signatures])
