"""YAML and JSON as one tree with byte spans."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True, eq=False)
class Node:
    """A mapping, sequence or scalar.

    ``value`` is a scalar's text (YAML's, unresolved: ``true`` is "true"). ``key`` is the key under which
    the node stands in its parent mapping, with the key's span; ``style`` is the quoting of a scalar
    (``|``, ``>``, a quote, or empty for plain; ``{`` and ``[`` for flow collections).
    """

    kind: str
    value: str
    start: int
    end: int
    style: str = ""
    key: str | None = None
    key_start: int = -1
    key_end: int = -1
    parent: Node | None = None
    children: list[Node] = field(default_factory=list)

    def get(self, *path: str) -> Node | None:
        """The node below these mapping keys."""
        node: Node | None = self
        for key in path:
            if node is None or node.kind != "map":
                return None
            node = next((c for c in node.children if c.key == key), None)
        return node

    def walk(self) -> Iterator[Node]:
        """This node and all below it, in file order."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack += reversed(node.children)

    @property
    def keys(self) -> set[str]:
        return {c.key for c in self.children if c.key is not None} if self.kind == "map" else set()

    def path(self) -> tuple[str, ...]:
        """The mapping keys from the root to this node."""
        keys: list[str] = []
        node: Node | None = self
        while node is not None:
            if node.key is not None:
                keys.append(node.key)
            node = node.parent
        return tuple(reversed(keys))

    @property
    def true(self) -> bool:
        return (
            self.kind == "scalar"
            and self.style not in ("'", '"')
            and self.value.lower() in ("true", "yes", "on")
        )


def read_yaml(data: bytes) -> list[Node]:
    """The documents of a YAML file; empty when it is no valid YAML (a template, say)."""
    import yaml

    try:
        text = data.decode("utf-8")
        roots = list(yaml.compose_all(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, ValueError):
        return []
    offset: Any = (lambda i: i) if len(text) == len(data) else _byte_offsets(text).__getitem__
    seen: set[int] = set()

    def build(raw: Any, parent: Node | None) -> Node:
        style = getattr(raw, "style", None) or ""
        node = Node(
            "scalar", "", offset(raw.start_mark.index), offset(raw.end_mark.index), style, parent=parent
        )
        if isinstance(raw, yaml.ScalarNode):
            node.value = raw.value
            return node
        flow = bool(getattr(raw, "flow_style", False))
        node.kind = "map" if isinstance(raw, yaml.MappingNode) else "seq"
        node.style = ("{" if node.kind == "map" else "[") if flow else ""
        if id(raw) in seen:
            return node  # an alias: its contents are read where they stand
        seen.add(id(raw))
        if node.kind == "seq":
            node.children = [build(child, node) for child in raw.value]
            return node
        for key, value in raw.value:
            child = build(value, node)
            child.key = str(key.value) if isinstance(key, yaml.ScalarNode) else None
            child.key_start, child.key_end = offset(key.start_mark.index), offset(key.end_mark.index)
            node.children.append(child)
        return node

    return [build(root, None) for root in roots if root is not None]


def _byte_offsets(text: str) -> list[int]:
    offsets, at = [], 0
    for char in text:
        offsets.append(at)
        at += len(char.encode("utf-8"))
    return [*offsets, at]


class _NotJson(Exception):
    pass


def read_json(data: bytes) -> Node | None:
    """The root of a JSON file (comments and trailing commas allowed); None when it is not JSON."""
    text = data.decode("latin-1")
    try:
        node, at = _json_value(text, _space(text, 0), 0)
    except (_NotJson, IndexError):
        return None
    return node if _space(text, at) == len(text) else None


def _space(text: str, at: int) -> int:
    while at < len(text):
        if text[at] in " \t\r\n":
            at += 1
        elif text.startswith("//", at):
            stop = text.find("\n", at)
            at = len(text) if stop < 0 else stop
        elif text.startswith("/*", at):
            stop = text.find("*/", at)
            at = len(text) if stop < 0 else stop + 2
        else:
            break
    return at


def _json_string(text: str, at: int) -> int:
    if text[at] != '"':
        raise _NotJson
    at += 1
    while text[at] != '"':
        at += 2 if text[at] == "\\" else 1
    return at + 1


def _json_value(text: str, at: int, depth: int) -> tuple[Node, int]:
    if depth > 200:
        raise _NotJson
    opener = text[at]
    if opener == '"':
        end = _json_string(text, at)
        return Node("scalar", text[at + 1 : end - 1], at, end, '"'), end
    if opener not in "{[":
        end = at
        while end < len(text) and text[end] not in ",]} \t\r\n/":
            end += 1
        if end == at:
            raise _NotJson
        return Node("scalar", text[at:end], at, end), end
    closer = "}" if opener == "{" else "]"
    node = Node("map" if opener == "{" else "seq", "", at, at, opener)
    at = _space(text, at + 1)
    while text[at] != closer:
        key_start = key_end = -1
        key = None
        if opener == "{":
            key_start, key_end = at, _json_string(text, at)
            key = text[key_start + 1 : key_end - 1]
            at = _space(text, key_end)
            if text[at] != ":":
                raise _NotJson
            at = _space(text, at + 1)
        child, at = _json_value(text, at, depth + 1)
        child.key, child.key_start, child.key_end, child.parent = key, key_start, key_end, node
        node.children.append(child)
        at = _space(text, at)
        if text[at] == ",":
            at = _space(text, at + 1)
        elif text[at] != closer:
            raise _NotJson
    node.end = at + 1
    return node, at + 1
