"""Bring the chosen fixes of one file together with the imports and helpers that they need."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ..finding import Edit, Fix
from ..source import Source
from .helpers import HELPERS
from .module import parse


def finish(source: Source, fixes: Sequence[Fix]) -> list[Edit]:
    """All edits of the fixes, plus those that add their imports and helpers once.

    Imports join the leading imports of the file (never before the docstring or ``__future__``); when
    an edit lies above the place where they would go, they come directly before the statement edited.
    """
    edits = list(dict.fromkeys(e for fix in fixes for e in fix.edits))
    helpers = list(dict.fromkeys(h for fix in fixes for h in fix.helpers))
    imports = list(dict.fromkeys(i for fix in fixes for i in fix.imports))
    imports += [i for h in helpers for i in HELPERS[h][1] if i not in imports]
    needing = [e for fix in fixes if fix.imports or fix.helpers for e in fix.edits]
    if not (imports or helpers) or not needing:
        return edits
    tree = parse(source)
    if helpers and any(_scripted(source, tree, e) for fix in fixes if fix.helpers for e in fix.edits):
        return []
    defined = {h: _definition(source, tree, h) for h in helpers}
    early = min(_runs_at(source, tree, e) for e in needing)
    if any(at is not None and at > early for at in defined.values()):
        return []
    place = _place(source, tree, early)
    added: list[str] = []
    for text in imports:
        edit = _join(source, tree, text, early)
        if edit is None:
            added.append(text)
        elif edit.content:
            edits.append(edit)
    edits = _merge(edits) + [e for text in added if (e := _later(source, tree, text, early)) is not None]
    if place > early:
        # The leading imports and the code that needs more of them share a line.
        if helpers:
            return []
        return _merge([Edit(early, early, "".join(f"{text}; " for text in added)), *edits])
    newline = source.newline
    texts = [f"{text}{newline}" for text in added]
    wanted = [HELPERS[h][0].replace("\n", newline) for h in helpers if defined[h] is None]
    block = "".join(texts)
    if wanted:
        block += "".join(f"{newline}{newline}{text}" for text in wanted)
        block += newline * max(0, 2 - _blank_lines(source, place))
    if block:
        # Imports come before whatever a fix inserts at the same place.
        edits = _merge([Edit(place, place, block), *edits])
    return edits


def _definition(source: Source, tree: ast.Module, helper: str) -> float | None:
    """Offset after which a helper from an earlier run can be called; infinite where its name means something else."""
    ours = ast.parse(HELPERS[helper][0]).body[0]
    assert isinstance(ours, ast.FunctionDef)
    found: float | None = None
    for node in ast.walk(tree):
        names = {getattr(node, name, None) for name in ("name", "asname", "id", "arg")}
        if helper not in names or isinstance(getattr(node, "ctx", None), ast.Load):
            continue
        same = isinstance(node, ast.FunctionDef) and ast.dump(node.args) == ast.dump(ours.args)
        if not same or node not in tree.body:
            return float("inf")
        found = _bounds(source, node)[1]
    return found


def _scripted(source: Source, tree: ast.Module, edit: Edit) -> bool:
    """Whether an edit lies in a function that torch.jit.script compiles with all that it calls."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.decorator_list:
            start, end = _bounds(source, node)
            names = " ".join(ast.unparse(d) for d in node.decorator_list)
            if start <= edit.start < end and ("script" in names or "jit" in names):
                return True
    return False


def _runs_at(source: Source, tree: ast.Module, edit: Edit) -> int:
    """Offset from which the names of an edit must be there: bodies of functions run later."""
    for node in tree.body:
        start, end = _bounds(source, node)
        if start <= edit.start <= end:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                body = source.offset(node.body[0].lineno, node.body[0].col_offset)
                defaults = [*node.args.defaults, *node.args.kw_defaults, *node.decorator_list]
                in_head = any(
                    d is not None
                    and source.offset(d.lineno, d.col_offset)
                    <= edit.start
                    <= source.offset(d.end_lineno or 1, d.end_col_offset or 0)
                    for d in defaults
                )
                if edit.start >= body and not in_head:
                    return len(source.data) + 1
            return start
    return edit.start


def _bounds(source: Source, node: ast.stmt) -> tuple[int, int]:
    line, column = node.lineno, node.col_offset
    for decorator in getattr(node, "decorator_list", []):
        line, column = min((line, column), (decorator.lineno, max(decorator.col_offset - 1, 0)))
    return source.offset(line, column), source.offset(node.end_lineno or line, node.end_col_offset or 0)


def _place(source: Source, tree: ast.Module, early: int) -> int:
    """Where new imports go: after the leading imports, at the latest before the first edit that runs."""
    after, imported = 0, False
    for i, node in enumerate(tree.body):
        start, end = _bounds(source, node)
        if (
            i == 0
            and isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ) or (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            after = _line_end(source, end)
        elif start < early and (
            isinstance(node, (ast.Import, ast.ImportFrom)) or _sets_variables(source, node)
        ):
            # Libraries read environment variables when they are imported: never come before those set first.
            after, imported = _line_end(source, end), True
        elif not imported:
            return _line_start(source, min(start, early))
        else:
            break
    return after


def _sets_variables(source: Source, node: ast.stmt) -> bool:
    """Whether a statement of the head of a file writes to the environment."""
    return (
        isinstance(node, (ast.Assign, ast.Expr)) and b"environ" in source.data[slice(*_bounds(source, node))]
    )


def _line_end(source: Source, offset: int) -> int:
    """Start of the line after the one that holds an offset."""
    row = source.position(offset)[0]
    return source.line_starts[row] if row < len(source.line_starts) else len(source.data)


def _line_start(source: Source, offset: int) -> int:
    return source.line_starts[source.position(min(offset, len(source.data)))[0] - 1]


def _blank_lines(source: Source, place: int) -> int:
    """Number of empty lines that follow a line start."""
    rest = source.data[place:]
    blank = rest[: len(rest) - len(rest.lstrip(b"\r\n"))]
    return blank.count(b"\n") or blank.count(b"\r")


def _join(source: Source, tree: ast.Module, text: str, early: int) -> Edit | None:
    """How an import is already there: an edit without content; or the edit that adds a name to a
    from-import of the file; or None when a new line is needed."""
    wanted = ast.parse(text).body[0]
    nothing = Edit(0, 0, "")
    for node in ast.walk(tree) if early > len(source.data) else tree.body:
        if not isinstance(node, (ast.Import, ast.ImportFrom)) or node not in tree.body:
            continue
        start, _ = _bounds(source, node)
        if start >= early:
            break
        if isinstance(wanted, ast.Import) and isinstance(node, ast.Import):
            name = wanted.names[0].name
            if any(
                a.asname is None and (a.name == name or a.name.startswith(name + ".")) for a in node.names
            ):
                return nothing
        if (
            isinstance(wanted, ast.ImportFrom)
            and isinstance(node, ast.ImportFrom)
            and node.module == wanted.module
            and not node.level
        ):
            names = [a.name for a in node.names]
            new = wanted.names[0].name
            if new in names and node.names[names.index(new)].asname is None:
                return nothing
            if "*" in names:
                continue
            before = [
                a
                for a in node.names
                if a.name.isupper() >= new.isupper() and (a.name.isupper(), a.name) < (True, new)
            ] or None
            anchor = before[-1] if before else node.names[0]
            at = source.offset(anchor.end_lineno or 1, anchor.end_col_offset or 0)
            return Edit(at, at, f", {new}")
    return None


def _later(source: Source, tree: ast.Module, text: str, early: int) -> Edit | None:
    """Takes away the same import further down, now that it stands above."""
    for node in tree.body:
        start, end = _bounds(source, node)
        if start > early and isinstance(node, ast.Import) and source.text(start, end) == text:
            line, after = _line_start(source, start), _line_end(source, end)
            if source.text(line, after).strip() == text:
                return Edit(line, after, "")
    return None


def _merge(edits: list[Edit]) -> list[Edit]:
    """Insertions at one place become one edit, in the order given; equal ones count once."""
    merged: dict[tuple[int, int], Edit] = {}
    for edit in dict.fromkeys(edits):
        key = (edit.start, edit.end)
        if key in merged and edit.start == edit.end:
            merged[key] = Edit(edit.start, edit.end, merged[key].content + edit.content)
        else:
            merged[key] = edit
    return list(merged.values())
