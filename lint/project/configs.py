"""Training configs: set values in YAML and JSON in place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..finding import Edit
from .file import ProjectFile, Role
from .tree import Node

TRAINING: frozenset[Role] = frozenset({"llamafactory", "training", "axolotl"})


def settings(file: ProjectFile, *keys: str) -> Iterator[Node]:
    """The values under these keys, in file order."""
    for node in file.nodes():
        if node.key in keys:
            yield node


def set_value(file: ProjectFile, node: Node, value: str) -> Edit:
    """Write another scalar, keeping the quotes of a string."""
    start, end = file.inner_span(node)
    if node.style in ("'", '"') and re.fullmatch(r"true|false|null|\d+", value):
        return Edit(node.start, node.end, value)
    return Edit(start, end, value)


def remove_entry(file: ProjectFile, node: Node) -> Edit | None:
    """Take a key and its value out of a block mapping or of a JSON object with one entry a line."""
    begin = file.text.rfind("\n", 0, node.key_start) + 1
    if file.text[begin : node.key_start].strip(' \t"'):
        return None
    end = begin + len(file.text[begin : node.end].rstrip())
    if file.kind == "json":
        comma = re.compile(r"[ \t]*,").match(file.text, node.end)
        if not comma:
            return None
        end = comma.end()
    stop = file.text.find("\n", end)
    if stop < 0 or (file.text[end:stop].strip() and not file.text[end:stop].lstrip().startswith("#")):
        return None
    return Edit(begin, stop + 1, "")
