"""AMD2001: torch.version.cuda is used as a text, and is None on ROCm."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from ..fixes import display, torch_name
from ..module import Module

_PARSERS = {
    "parse",
    "Version",
    "LooseVersion",
    "StrictVersion",
    "float",
    "int",
    "parse_version",
    "len",
    "tuple",
    "list",
    "search",
    "match",
    "Decimal",
}
_ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn)
_NEAR = (b"torch.version", b"version.cuda", b"import version", b", version", b"version import")


@rule("AMD2001", triggers={"version"})
def cuda_version_none(module: Module) -> Iterator[Finding]:
    if not module.holds(*_NEAR):
        return
    seen: set[ast.AST] = set()
    for use in module.uses("torch.version.cuda"):
        for value in _same_value(module, use):
            place = _breaks(module, value)
            if (
                place is None
                or place in seen
                or module.guarded(place)
                or module.tried(place, "AttributeError")
                or module.tried(place, "TypeError")
            ):
                continue
            seen.add(place)
            yield module.report(
                "AMD2001",
                place,
                "torch.version.cuda is None on ROCm: this raises",
                _fix(module, use, value, place),
            )


def _same_value(module: Module, use: ast.expr) -> list[ast.expr]:
    """The use itself and the variables that hold it unchanged."""
    return [
        v
        for v in module.flow(use)
        if v is use or (isinstance(v, (ast.Name, ast.Attribute)) and _is_plain(module, v, use))
    ]


def _is_plain(module: Module, value: ast.expr, use: ast.expr) -> bool:
    return any(b.kind == "assign" and b.value is use for b in module.resolver.bound_to(value))


def _breaks(module: Module, value: ast.expr) -> ast.expr | None:
    """The expression that fails when the value is None."""
    above = module.parent(value)
    match above:
        case ast.Attribute() if above.value is value:
            return value
        case ast.Subscript() if above.value is value:
            return value
        case ast.Call() if value in above.args:
            func = above.func
            names = {n.rpartition(".")[2] for n in module.names(func)}
            names.add(func.attr if isinstance(func, ast.Attribute) else "")
            return value if names & _PARSERS else None
        case ast.Compare() if any(isinstance(o, _ORDER) for o in above.ops):
            if above.left is value and isinstance(above.ops[0], (ast.In, ast.NotIn)):
                return None  # "None in [...]" is merely false
            return value
        case ast.BinOp(op=ast.Add()):
            return value
    return None


def _fix(module: Module, use: ast.expr, value: ast.expr, place: ast.expr) -> Fix | None:
    text = module.text(use if module.fstring(value) is not None else value)
    test = _enclosing_test(module, place) or _condition(module, place)
    if test is not None and module.fstring(test) is None:
        return _before_test(module, test, f"{text} is not None and ", f"{text} is None or ")
    holder = module.statement(place)
    fix: Fix | None = None
    if isinstance(holder, ast.Assign) and len(holder.targets) == 1 and module.fstring(place) is None:
        fix = _guard_assignment(module, holder, text)
    if fix is None or not fix.edits:
        fix = _left_empty(module, holder) or fix
    return fix or display("use the version only where there is one", f"if {text} is not None:\n    ...")


def _condition(module: Module, place: ast.expr) -> ast.expr | None:
    """The condition that a use is, as in ``if torch.version.cuda.startswith("12"):``."""
    top: ast.expr = place
    for above in module.parents(place):
        if isinstance(above, (ast.Call, ast.Attribute, ast.Subscript)):
            top = above
            continue
        tested = isinstance(above, (ast.If, ast.While, ast.Assert, ast.IfExp)) and above.test is top
        if (
            tested
            or isinstance(above, ast.BoolOp)
            or (isinstance(above, ast.UnaryOp) and isinstance(above.op, ast.Not))
        ):
            return top
        return None
    return None


def _left_empty(module: Module, holder: ast.stmt) -> Fix | None:
    """``return <value>`` and ``x = <value>`` become None where there is no CUDA version."""
    value = holder.value if isinstance(holder, (ast.Return, ast.Assign)) else None
    torch = torch_name(module, holder)
    if value is None or isinstance(value, (ast.IfExp, ast.Lambda, ast.Tuple)) or torch is None:
        return None
    reason = "The value is None on ROCm, and what uses it has to bear that."
    edit = module.after(value, f" if {torch[0]}.version.cuda is not None else None")
    return Fix("unsafe", "leave the value empty on ROCm", (edit,), reason=reason, imports=torch[1])


def _enclosing_test(module: Module, place: ast.expr) -> ast.Compare | None:
    """The comparison that the whole use is about."""
    for above in module.parents(place):
        if isinstance(above, ast.Compare):
            return above
        if not isinstance(
            above,
            (
                ast.Call,
                ast.Attribute,
                ast.Subscript,
                ast.GeneratorExp,
                ast.comprehension,
                ast.Tuple,
                ast.ListComp,
                ast.Starred,
            ),
        ):
            return None
    return None


def _before_test(module: Module, test: ast.expr, both: str, either: str) -> Fix | None:
    """Evaluate a comparison only where there is a version: elsewhere it is false, or passes as an assertion."""
    above = module.parent(test)
    if isinstance(above, ast.Assert) or (isinstance(above, ast.UnaryOp) and isinstance(above.op, ast.Not)):
        prefix = either
    else:
        prefix = both
    bare = isinstance(above, (ast.If, ast.While, ast.Return, ast.Assign, ast.Assert, ast.keyword)) or (
        isinstance(above, ast.BoolOp) and isinstance(above.op, ast.And) and prefix is both
    )
    if isinstance(above, ast.IfExp) and above.test is test:
        bare = True
    if bare:
        edits: tuple[Edit, ...] = (module.before(test, prefix),)
    else:
        edits = (module.before(test, f"({prefix}"), module.after(test, ")"))
    return Fix("safe", "compare only where there is a CUDA version", edits)


def _guard_assignment(module: Module, holder: ast.Assign, text: str) -> Fix | None:
    """``v = tuple(...)`` becomes ``v = tuple(...) if torch.version.cuda is not None else None``, and every
    comparison of ``v`` asks first. Only when comparing and printing is all that is done with it."""
    target = holder.targets[0]
    if not isinstance(target, ast.Name) or isinstance(holder.value, ast.IfExp):
        return display("use the version only where there is one", f"if {text} is not None:\n    ...")
    edits = [module.after(holder.value, f" if {text} is not None else None")]
    done: set[ast.AST] = set()
    compared = False
    for read in module.hits(target.id):
        if not isinstance(read, ast.Name) or read is target:
            continue
        if isinstance(read.ctx, ast.Store):
            return display("use the version only where there is one", f"if {text} is not None:\n    ...")
        if module.guarded(read) or module.fstring(read) is not None:
            continue
        above = module.parent(read)
        if (
            isinstance(above, ast.Call)
            and isinstance(above.func, ast.Name)
            and above.func.id in ("print", "str", "repr")
        ):
            continue
        test = _enclosing_test(module, read)
        if test is None:
            return display("use the version only where there is one", f"if {text} is not None:\n    ...")
        if test in done:
            continue
        done.add(test)
        compared = True
        fix = _before_test(module, test, f"{target.id} is not None and ", f"{target.id} is None or ")
        if fix is None:
            return None
        edits += fix.edits
    if not compared:
        return display("use the version only where there is one", f"if {text} is not None:\n    ...")
    return Fix("safe", "leave the version empty on ROCm and ask before comparing", tuple(edits))
