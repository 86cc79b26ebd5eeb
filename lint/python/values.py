"""Following values: where does the result of an expression go, what is the text of a command?"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from .rocm import is_property

if TYPE_CHECKING:
    from .module import Module

GAP = "\0"  # stands for a part of a text that is not known
_CARRY_CALLS = {
    "int",
    "float",
    "str",
    "tuple",
    "list",
    "max",
    "min",
    "round",
    "abs",
    "bool",
    "len",
    "map",
    "sorted",
    "sum",
}
_CARRY_METHODS = {
    "lower",
    "upper",
    "strip",
    "split",
    "replace",
    "casefold",
    "rstrip",
    "lstrip",
    "encode",
    "decode",
}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def flow(
    module: Module, start: ast.expr, ends: Callable[[ast.expr], bool] = lambda _: False
) -> list[ast.expr]:
    """See ``Module.flow``. ``ends`` says where the value is not followed any further."""
    found: dict[ast.expr, None] = {start: None}
    queue = [start]
    while queue and len(found) < 400:
        node = queue.pop(0)
        for next_node in _onward(module, node):
            if next_node not in found and not ends(next_node):
                found[next_node] = None
                queue.append(next_node)
    return list(found)


def _onward(module: Module, node: ast.expr) -> Iterator[ast.expr]:
    above = module.parent(node)
    match above:
        case ast.Assign() if above.value is node:
            for target in above.targets:
                yield from _reads(module, target)
        case ast.AnnAssign(target=target) if above.value is node:
            yield from _reads(module, target)
        case ast.NamedExpr() if above.value is node:
            yield above
            yield from _reads(module, above.target)
        case ast.Subscript() if above.value is node:
            yield above
        case ast.Attribute() if above.value is node:
            call = module.parent(above)
            if isinstance(call, ast.Call) and call.func is above:
                if above.attr in _CARRY_METHODS:
                    yield call
            elif above.attr in ("major", "minor"):
                yield above
        case ast.BinOp() | ast.UnaryOp() | ast.IfExp() if node is not getattr(above, "test", None):
            yield above
        case ast.GeneratorExp() | ast.ListComp() | ast.SetComp() if above.elt is node:
            yield above
        case ast.Call(func=ast.Attribute(attr="join")) if node in above.args:
            yield above
        case ast.BoolOp(op=ast.Or()):
            yield above
        case ast.Tuple() | ast.List():
            holder = module.parent(above)
            if isinstance(holder, ast.Assign) and above is holder.value:
                for target in holder.targets:
                    if isinstance(target, (ast.Tuple, ast.List)) and len(target.elts) == len(above.elts):
                        yield from _reads(module, target.elts[above.elts.index(node)])
            elif not isinstance(holder, ast.Assign):
                yield above
        case ast.FormattedValue():
            joined = module.parent(above)
            if isinstance(joined, ast.JoinedStr):
                yield joined
        case ast.Call(func=ast.Name(id=name)) if node in above.args and name in _CARRY_CALLS:
            yield above
        case ast.Call() if node in above.args and any(
            n.rpartition(".")[2] in ("parse", "Version", "LooseVersion") for n in module.names(above.func)
        ):
            yield above
        case ast.Return():
            yield from returned_to(module, above)
        case ast.Lambda() if above.body is node:
            holder = module.parent(above)
            if isinstance(holder, ast.Assign):
                for target in holder.targets:
                    for read in _reads(module, target):
                        call = module.parent(read)
                        if isinstance(call, ast.Call) and call.func is read:
                            yield call
        case ast.Match() if above.subject is node:
            for case in above.cases:
                for part in getattr(case.pattern, "patterns", [case.pattern]):
                    if isinstance(part, ast.MatchAs) and part.name:
                        yield from _name_reads(module, part, part.name)


def _reads(module: Module, target: ast.expr) -> Iterator[ast.expr]:
    """Loads of what a target binds."""
    if isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            yield from _reads(module, element)
        return
    if isinstance(target, ast.Name):
        yield from _name_reads(module, target, target.id)
        if isinstance(module.scope(target), ast.ClassDef):  # a class attribute, read through self
            yield from _attribute_reads(module, target, target.id)
    elif isinstance(target, ast.Attribute):
        yield from _attribute_reads(module, target, target.attr)


def _name_reads(module: Module, binder: ast.AST, name: str) -> Iterator[ast.expr]:
    """Loads of a name where an assignment or a pattern has bound it."""
    for hit in module.hits(name):
        if (
            isinstance(hit, ast.Name)
            and isinstance(hit.ctx, ast.Load)
            and any(b.node is binder for b in module.resolver.lookup(hit))
        ):
            yield hit


def _attribute_reads(module: Module, target: ast.expr, name: str) -> Iterator[ast.expr]:
    for hit in module.hits(name):
        if (
            isinstance(hit, ast.Attribute)
            and isinstance(hit.ctx, ast.Load)
            and any(b.node is target for b in module.resolver.attributes(hit))
        ):
            yield hit


def returned_to(module: Module, statement: ast.Return) -> Iterator[ast.expr]:
    """Calls in this file of the function that a return statement leaves."""
    function = module.function(statement)
    if function is None:
        return
    for hit in module.hits(function.name):
        if isinstance(hit, (ast.Name, ast.Attribute)) and isinstance(hit.ctx, ast.Load):
            if not any(b.node is function for b in module.resolver.bound_to(hit)):
                continue
            above = module.parent(hit)
            if isinstance(above, ast.Call) and above.func is hit:
                yield above
            elif isinstance(hit, ast.Attribute) and is_property(function):
                yield hit


def text_of(module: Module, node: ast.expr | None, depth: int = 0) -> str | None:
    """The text of a string expression, with GAP for parts that are not known; None for no text at all."""
    if depth > 8 or node is None:
        return None
    match node:
        case ast.Constant(value=str(value)):
            return value
        case ast.JoinedStr():
            return "".join(
                (text_of(module, part.value, depth + 1) or GAP)
                if isinstance(part, ast.FormattedValue)
                else str(getattr(part, "value", GAP))
                for part in node.values
            )
        case ast.BinOp(op=ast.Add() | ast.Div()):
            left, right = text_of(module, node.left, depth + 1), text_of(module, node.right, depth + 1)
            if left is None and right is None:
                return None
            joint = "/" if isinstance(node.op, ast.Div) else ""
            return f"{left if left is not None else GAP}{joint}{right if right is not None else GAP}"
        case ast.BinOp(op=ast.Mod()):
            left = text_of(module, node.left, depth + 1)
            return None if left is None else left.replace("%s", GAP).replace("%d", GAP)
        case ast.Call():
            names = module.names(node.func)
            if names & {"os.path.join", "posixpath.join"} and node.args:
                return "/".join(text_of(module, a, depth + 1) or GAP for a in node.args)
            if (
                any(n.rpartition(".")[2] in ("Path", "PurePath", "str", "which", "fspath") for n in names)
                and node.args
            ):
                return text_of(module, node.args[0], depth + 1)
            if isinstance(node.func, ast.Attribute) and node.func.attr in ("format", "strip"):
                return text_of(module, node.func.value, depth + 1)
            return None
        case ast.IfExp():
            return text_of(module, node.body, depth + 1) or text_of(module, node.orelse, depth + 1)
        case ast.BoolOp():
            return next((t for v in node.values if (t := text_of(module, v, depth + 1)) is not None), None)
        case ast.Name() | ast.Attribute():
            texts = [
                text_of(module, b.value, depth + 1)
                for b in module.resolver.bound_to(node)
                if b.kind == "assign" and b.value is not None
            ]
            texts = [t for t in texts if t is not None]
            return texts[0] if texts else None
    return None


def words_of(module: Module, node: ast.expr | None, depth: int = 0) -> list[str]:
    """The words of a command line: of a string, or of a list of strings (GAP for unknown ones)."""
    if node is None or depth > 6:
        return []
    match node:
        case ast.List() | ast.Tuple():
            words: list[str] = []
            for e in node.elts:
                if isinstance(e, ast.Starred):
                    words += words_of(module, e.value, depth + 1) or [GAP]
                else:
                    words.append(text_of(module, e) or GAP)
            return words
        case ast.BinOp(op=ast.Add()):
            left, right = words_of(module, node.left, depth + 1), words_of(module, node.right, depth + 1)
            if isinstance(node.left, (ast.Constant, ast.JoinedStr)):
                text = text_of(module, node)
                return text.split() if text else left
            return left + right
        case ast.Call(func=ast.Attribute(attr="split", value=owner)) if (
            not isinstance(owner, ast.Name) or owner.id != "shlex"
        ):
            return words_of(module, owner, depth + 1)
        case ast.Call() if module.names(node.func) & {"shlex.split"} and node.args:
            return words_of(module, node.args[0], depth + 1)
        case ast.Name() | ast.Attribute():
            for b in module.resolver.bound_to(node):
                if b.kind == "assign" and b.value is not None:
                    found = words_of(module, b.value, depth + 1)
                    if found:
                        return found
            return []
    text = text_of(module, node)
    return text.split() if text else []
