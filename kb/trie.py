"""Many literals as one regular expression that is quick to search for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

_RARITY = {c: i for i, c in enumerate(b"etaoinsrlcdupmfhg_/.-b0:12wy,v=3k4 5679x8()[]'\"TESACINRPOLDMGFUHBVWXYKZQqjz`!{}<>|&@#$%^*+;?~\\")}
"""Bytes by how common they are in logs, the most common first; what is missing counts as rare."""
_KEEP = 5


def compile_literals(literals: Iterable[bytes]) -> re.Pattern[bytes]:
    """An expression that matches at least wherever one of the literals stands.

    Each literal is cut to start at its rarest byte: ``re`` skips quickly to bytes that can start a match.
    What is found is only a hint that a literal may stand there.
    """
    cut = {_cut(x) for x in literals if x}
    return re.compile(_source(_tree(cut)))


def _cut(literal: bytes) -> bytes:
    starts = range(max(1, len(literal) - _KEEP + 1))
    return literal[max(starts, key=lambda i: _RARITY.get(literal[i], 999)) :]


def _tree(words: Iterable[bytes]) -> dict[int, Any]:
    """A trie; a word that continues another one is dropped, since the shorter one finds both."""
    root: dict[int, Any] = {}
    for word in sorted(words, key=len):
        node = root
        for byte in word:
            if _END in node:
                break
            node = node.setdefault(byte, {})
        else:
            node.clear()
            node[_END] = {}
    return root


_END = -1


def _source(node: dict[int, Any]) -> bytes:
    if _END in node:
        return b""
    branches = [re.escape(bytes([byte])) + _source(below) for byte, below in sorted(node.items())]
    return branches[0] if len(branches) == 1 else b"(?:" + b"|".join(branches) + b")"
