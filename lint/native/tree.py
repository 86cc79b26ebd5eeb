"""The syntax tree, asked for one thing: whether a rewrite left more syntax errors than there were."""

from __future__ import annotations

from functools import lru_cache
from typing import Any


@lru_cache(maxsize=1)
def _parser() -> Any:
    import tree_sitter
    import tree_sitter_cuda

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_cuda.language()))


def errors(data: bytes) -> int:
    """Number of ERROR and missing nodes in the tree of a CUDA text."""
    cursor = _parser().parse(data).walk()
    count = 0
    while True:
        node = cursor.node
        if node.is_error or node.is_missing:
            count += 1
        if node.has_error and cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return count
