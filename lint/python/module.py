"""A Python file as the rules see it: words, nodes, names, values and guards, all computed only when asked.

Nothing walks the whole tree. A question starts at the places where a word stands in the bytes; the
node that covers such a place is found by descending from the top, and parents are noted on the way.
"""

from __future__ import annotations

import ast
import gc
import re
import warnings
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from ..finding import Edit, Finding, Fix
from ..repo import Repo
from ..settings import Settings
from ..source import Source

if TYPE_CHECKING:
    from .guards import Guards
    from .names import Resolver

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.Module)
Function = ast.FunctionDef | ast.AsyncFunctionDef
_INSIDE_WORD = frozenset(c for c in range(128) if chr(c).isalnum() or c == 95)
_BLANKS = bytes(c if c < 128 and (chr(c).isalnum() or c == 95) else 32 for c in range(256))


def parse(source: Source) -> ast.Module:
    """The tree of a file. Raises SyntaxError also for what ``ast`` reports in other ways."""
    # Data that was re-coded to UTF-8 may still carry the old coding comment: a str ignores it.
    code: str | bytes = source.data
    if source.encoding not in ("utf-8", "utf-8-sig"):
        code = source.data.decode("utf-8", "replace")
    collecting = gc.isenabled()
    gc.disable()  # a tree is many objects and no garbage: looking through it again and again costs more than parsing
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(code)
    except (ValueError, RecursionError, MemoryError) as e:
        raise SyntaxError(str(e) or "too deeply nested") from e
    finally:
        if collecting:
            gc.enable()


class Module:
    """One parsed Python file."""

    def __init__(self, source: Source, repo: Repo, settings: Settings) -> None:
        self.source = source
        self.repo = repo
        self.settings = settings
        self._parents: dict[ast.AST, ast.AST] = {}
        self._below: dict[ast.AST, list[ast.AST]] = {}
        self._last_rows: dict[ast.AST, list[int]] = {}
        self._hits: dict[str, list[ast.AST]] = {}
        self._scopes: dict[ast.AST, ast.AST] = {}

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree; raises SyntaxError. Made only when a rule needs it: many look at the bytes first."""
        return parse(self.source)

    def release(self) -> None:
        """Forget everything, the tree first: module, resolver and guards know each other, and would wait for
        the garbage collector."""
        self.__dict__.clear()

    def holds(self, *parts: bytes) -> bool:
        """Whether one of these stands in the bytes of the file: the cheapest look before anything is parsed."""
        return any(part in self.source.data for part in parts)

    def mentions(self, pattern: re.Pattern[bytes]) -> bool:
        """Whether the bytes of the file match: a cheap look before anything is parsed."""
        return pattern.search(self.source.data) is not None

    # ------------------------------------------------------------------ nodes and positions

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Byte span of a node. Parts of an f-string answer with the whole f-string: before
        Python 3.12 their own positions are not to be trusted."""
        holder = self.fstring(node)
        if holder is not None:
            node = holder
        start, end = _extent(node)
        return self.source.offset(*start), self.source.offset(*end)

    def text(self, node: ast.AST) -> str:
        """Source text of a node."""
        return self.source.text(*self.span(node))

    def row(self, node: ast.AST) -> int:
        return _extent(node)[0][0]

    def parent(self, node: ast.AST) -> ast.AST | None:
        """The node above; None for the module itself."""
        if node is self.tree:
            return None
        if node not in self._parents:
            self._locate(node)
        return self._parents.get(node)

    def parents(self, node: ast.AST) -> Iterator[ast.AST]:
        """All nodes above, innermost first."""
        above = self.parent(node)
        while above is not None:
            yield above
            above = self.parent(above)

    def walk(self, node: ast.AST) -> Iterator[ast.AST]:
        """The node and all below it, with parents noted."""
        stack = [node]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(self._children(node)))

    def fstring(self, node: ast.AST) -> ast.JoinedStr | None:
        """The outermost f-string that a node is part of, itself excluded."""
        found = None
        current = node
        while not isinstance(current, ast.stmt):
            above = self._parents.get(current)
            if above is None:
                break
            if isinstance(above, ast.JoinedStr):
                found = above
            current = above
        return found

    def statement(self, node: ast.AST) -> ast.stmt:
        """The innermost statement that holds a node."""
        current: ast.AST | None = node
        while not isinstance(current, ast.stmt):
            current = self.parent(current) if current is not None else None
            if current is None:
                return self.tree.body[0]
        return current

    def function(self, node: ast.AST) -> Function | None:
        """The innermost function whose body holds a node."""
        child = node
        for above in self.parents(node):
            if isinstance(above, FUNCTIONS) and child in above.body:
                return above
            child = above
        return None

    def scope(self, node: ast.AST) -> ast.AST:
        """The scope in which a name at this node is looked up first."""
        known, passed = self._scopes, [node]
        scope = known.get(node)
        if scope is None:
            scope, child = self.tree, node
            for above in self.parents(node):
                if isinstance(above, (*FUNCTIONS, ast.ClassDef)):
                    opened = child in above.body
                else:
                    opened = isinstance(above, ast.Module) or (
                        isinstance(above, ast.Lambda) and child is above.body
                    )
                if opened or above in known:
                    scope = above if opened else known[above]
                    break
                passed.append(above)
                child = above
            for inner in passed:
                known[inner] = scope
        return scope

    def siblings(self, stmt: ast.stmt) -> tuple[list[ast.stmt], int]:
        """The block that holds a statement, and its place there."""
        above = self.parent(stmt)
        for name in ("body", "orelse", "finalbody"):
            block = getattr(above, name, None)
            if isinstance(block, list) and stmt in block:
                return block, block.index(stmt)
        return [stmt], 0

    def docstring(self, node: ast.AST) -> bool:
        """Whether a string is nothing but prose: a docstring or a bare string statement."""
        return isinstance(self.parent(node), ast.Expr)

    # ------------------------------------------------------------------ words

    @cached_property
    def words(self) -> frozenset[str]:
        """All words of the file, comments and strings included."""
        return frozenset(w.decode() for w in set(self.source.data.translate(_BLANKS).split()))

    def hits(self, word: str) -> list[ast.AST]:
        """Nodes that this very word names: names, attributes, imports, keywords, definitions,
        parameters, and string constants that contain it. In order of position, each once."""
        cached = self._hits.get(word)
        if cached is not None:
            return cached
        found: dict[ast.AST, None] = {}
        for place in self.places(word.encode()):
            leaf = self._leaf(place)
            if isinstance(leaf, ast.JoinedStr):
                for part in self.walk(leaf):
                    if part is not leaf and _named(part, word):
                        found.setdefault(part)
            elif leaf is not None and _named(leaf, word):
                found.setdefault(leaf)
        result = self._hits[word] = list(found)
        return result

    def places(self, word: bytes) -> Iterator[int]:
        """Where the whole word stands in the bytes. A regular expression for each word would cost several times more."""
        data, size, inside = self.source.data, len(word), _INSIDE_WORD
        at = data.find(word)
        while at >= 0:
            end = at + size
            if (not at or data[at - 1] not in inside) and (end == len(data) or data[end] not in inside):
                yield at
            at = data.find(word, at + 1)

    def strings(self, *words: str) -> Iterator[ast.Constant]:
        """String constants that hold one of the words and are not mere prose."""
        seen: set[ast.AST] = set()
        for word in words:
            for node in self.hits(word):
                if isinstance(node, ast.Constant) and node not in seen and not self.docstring(node):
                    seen.add(node)
                    yield node

    def keywords(self, *names: str) -> Iterator[ast.keyword]:
        """Keyword arguments of calls with one of these names."""
        for name in names:
            for node in self.hits(name):
                if isinstance(node, ast.keyword):
                    yield node

    def _leaf(self, offset: int) -> ast.AST | None:
        row = bisect_right(self.source.line_starts, offset)
        place = (row, offset - self.source.line_starts[row - 1])
        node: ast.AST = self.tree
        while not isinstance(node, ast.JoinedStr):
            below = self._statement_in(node, row, place) or self._part_in(node, row, place)
            if below is None:
                break
            node = below
        return node

    def _statement_in(self, node: ast.AST, row: int, place: tuple[int, int]) -> ast.AST | None:
        """The statement of a long body that covers a place, found by halving."""
        body = getattr(node, "body", None)
        if not isinstance(body, list) or len(body) < 6:
            return None
        self._children(node)  # notes the parents
        rows = self._last_rows.get(node)
        if rows is None:
            rows = self._last_rows[node] = [s.end_lineno or s.lineno for s in body]
        at = bisect_left(rows, row)
        for child in body[at : at + 2]:
            start, end = _extent(child)
            if start <= place < end:
                found: ast.AST = child
                return found
        return None

    def _part_in(self, node: ast.AST, row: int, place: tuple[int, int]) -> ast.AST | None:
        column = place[1]
        for child in self._children(node):
            at: dict[str, int] = child.__dict__
            last = at.get("end_lineno")
            if last is None or isinstance(child, _DECORATED):
                start, end = _extent(child)
                if start <= place < end:
                    return child
            elif (
                last >= row >= at["lineno"]
                and (last > row or column < at["end_col_offset"])
                and (row > at["lineno"] or column >= at["col_offset"])
            ):
                return child
        return None

    def _locate(self, wanted: ast.AST) -> None:
        place = _extent(wanted)[0]
        stack: list[ast.AST] = [self.tree]
        while stack:
            node = stack.pop()
            for child in self._children(node):
                if child is wanted:
                    return
                start, end = _extent(child)
                if start <= place <= end:
                    stack.append(child)
        for node in self.walk(self.tree):  # nodes inside f-strings: positions do not lead there
            if node is wanted:
                return

    def _children(self, node: ast.AST) -> list[ast.AST]:
        children = self._below.get(node)
        if children is None:
            children = [] if isinstance(node, _LEAVES) else _below(node)
            self._below[node] = children
            for child in children:
                self._parents[child] = node
        return children

    # ------------------------------------------------------------------ the wider questions

    @cached_property
    def resolver(self) -> Resolver:
        from .names import Resolver

        return Resolver(self)

    @cached_property
    def guards(self) -> Guards:
        from .guards import Guards

        return Guards(self)

    def names(self, node: ast.AST) -> frozenset[str]:
        """Dotted names that an expression may stand for (``torch.cuda.get_device_capability``)."""
        return self.resolver.names(node)

    def uses(self, *dotted: str) -> Iterator[ast.expr]:
        """Every place where one of these things is used, whatever it is called there."""
        return self.resolver.uses(*dotted)

    def calls(self, *dotted: str) -> Iterator[ast.Call]:
        """Every call of one of these functions."""
        for use in self.resolver.uses(*dotted):
            above = self.parent(use)
            if isinstance(above, ast.Call) and above.func is use:
                yield above

    def imports(self, *packages: str) -> Iterator[tuple[ast.Import | ast.ImportFrom, ast.alias, str]]:
        """Import statements of these packages (or of their submodules): statement, alias, dotted name."""
        return self.resolver.imports(*packages)

    def guarded(self, node: ast.AST) -> bool:
        """Whether a reader can see that this place does not run on ROCm."""
        return self.guards.guarded(node)

    def tried(self, node: ast.AST, *errors: str) -> bool:
        """Whether one of these exceptions is caught around the place and something else is done then."""
        return self.guards.tried(node, *errors)

    def flow(self, node: ast.expr) -> list[ast.expr]:
        """Expressions that carry the value of this one on: through variables, attributes of self,
        indexing, arithmetic, conversions and returns of functions of this file. The node itself is first."""
        from .values import flow

        return flow(self, node)

    def report(
        self,
        code: str,
        node: ast.AST,
        detail: str,
        fix: Fix | None = None,
        *,
        targets: tuple[str, ...] = (),
        severity: str | None = None,
    ) -> Finding:
        """A finding at a node."""
        start, end = self.span(node)
        return Finding(code, start, end, detail, fix, targets, severity)

    # ------------------------------------------------------------------ edits

    def replace(self, node: ast.AST, text: str) -> Edit:
        return Edit(*self.span(node), text)

    def before(self, node: ast.AST, text: str) -> Edit:
        start, _ = self.span(node)
        return Edit(start, start, text)

    def after(self, node: ast.AST, text: str) -> Edit:
        _, end = self.span(node)
        return Edit(end, end, text)


_DECORATED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_NO_PLACE = (ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop)
_LEAVES = (ast.Name, ast.Constant, ast.alias, ast.Pass, ast.Break, ast.Continue, ast.Global, ast.Nonlocal)


def _below(node: ast.AST) -> list[ast.AST]:
    """The children of a node that stand somewhere in the text: ``ast.iter_child_nodes`` without the others."""
    found: list[ast.AST] = []
    values = node.__dict__
    for name in node._fields:
        value = values.get(name)
        if isinstance(value, list):
            found += [v for v in value if isinstance(v, ast.AST) and not isinstance(v, _NO_PLACE)]
        elif isinstance(value, ast.AST) and not isinstance(value, _NO_PLACE):
            found.append(value)
    return found


def _extent(node: ast.AST) -> tuple[tuple[int, int], tuple[int, int]]:
    """(row, column) of start and end; decorators belong to what they decorate."""
    line = getattr(node, "lineno", None)
    if line is None:
        if isinstance(node, ast.Module):
            return (1, 0), (1 << 60, 0)
        parts = [_extent(c) for c in ast.iter_child_nodes(node) if not isinstance(c, _NO_PLACE)]
        parts = [p for p in parts if p[1] > (0, 0)]
        if not parts:
            return (0, 0), (0, 0)
        return min(p[0] for p in parts), max(p[1] for p in parts)
    start = (line, node.col_offset)  # type: ignore[attr-defined]
    decorators = getattr(node, "decorator_list", None)
    if decorators:
        start = min(start, (decorators[0].lineno, decorators[0].col_offset))
    return start, (node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]


def _named(node: ast.AST, word: str) -> bool:
    match node:
        case ast.Name():
            return node.id == word
        case ast.Attribute():
            return node.attr == word
        case ast.Constant():
            return isinstance(node.value, (str, bytes))
        case ast.alias():
            return word == node.asname or word in node.name.split(".")
        case ast.ImportFrom():
            return word in (node.module or "").split(".")
        case ast.keyword() | ast.arg():
            return node.arg == word
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return node.name == word
        case ast.ExceptHandler() | ast.MatchAs() | ast.MatchStar():
            return node.name == word
        case ast.Global() | ast.Nonlocal():
            return word in node.names
    return False
