"""AMD2011: the "+cu" tag of torch.__version__ decides whether there is a GPU."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..fixes import or_hip, torch_name
from ..module import Module

_TAG = re.compile(r"\+?cu(?:\d{2,3}|da)?")
_NEAR = (b'"+cu', b"'+cu", b'"cu', b"'cu", b"\\+cu")


@rule("AMD2011", triggers={"__version__"})
def torch_version_tag(module: Module) -> Iterator[Finding]:
    if not module.holds(*_NEAR):
        return
    for use in module.uses("torch.__version__", "torch.version.__version__"):
        for value in module.flow(use):
            place = _place(module, value) or _searches(module, value) or _strips(module, value)
            if place is None or module.guarded(place) or _knows_rocm(module, place):
                continue
            yield module.report(
                "AMD2011",
                place,
                'a ROCm build calls itself "2.9.1+rocm6.4": there is no +cu in it',
                _fix(module, place),
            )


def _searches(module: Module, use: ast.expr) -> ast.expr | None:
    """``re.search(r"\\+cu(\\d+)", torch.__version__)`` whose result is used without asking."""
    call = module.parent(use)
    if (
        not isinstance(call, ast.Call)
        or use not in call.args
        or not module.names(call.func) & {"re.search", "re.match"}
    ):
        return None
    pattern = call.args[0]
    if not isinstance(pattern, ast.Constant) or "+cu" not in str(pattern.value):
        return None
    for value in module.flow(call):
        above = module.parent(value)
        if (
            isinstance(above, ast.Attribute)
            and above.attr in ("group", "groups")
            and not _asked(module, value)
        ):
            return call
    return None


def _asked(module: Module, match: ast.expr) -> bool:
    """Whether a condition on the match stands around its use."""
    text = module.text(match)
    child: ast.AST = match
    for above in module.parents(match):
        if (
            isinstance(above, (ast.If, ast.IfExp))
            and child is not above.test
            and text in module.text(above.test)
        ):
            return True
        if isinstance(above, ast.stmt):
            block, place = module.siblings(above)
            for earlier in block[:place]:
                if (
                    isinstance(earlier, ast.If)
                    and text in module.text(earlier.test)
                    and module.guards.exits(earlier.body)
                ):
                    return True
        child = above
    return False


def _strips(module: Module, value: ast.expr) -> ast.expr | None:
    """``torch.__version__.split("+")[1].replace("cu", "")``: the local tag is taken for a CUDA version."""
    above = module.parent(value)
    if not isinstance(value, ast.Subscript) or not isinstance(above, ast.Attribute):
        return None
    call = module.parent(above)
    if (
        not isinstance(call, ast.Call)
        or above.attr not in ("replace", "removeprefix", "lstrip", "strip")
        or not call.args
    ):
        return None
    first = call.args[0]
    return call if isinstance(first, ast.Constant) and first.value == "cu" else None


def _place(module: Module, value: ast.expr) -> ast.expr | None:
    above = module.parent(value)
    if (
        isinstance(above, ast.Compare)
        and value in above.comparators
        and isinstance(above.ops[0], (ast.In, ast.NotIn))
    ):
        left = above.left
        if (
            isinstance(left, ast.Constant)
            and isinstance(left.value, str)
            and _TAG.fullmatch(left.value)
            and _refuses(module, above)
        ):
            return above
    if (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr == "split"
        and value.args
    ):
        tag = value.args[0]
        index = module.parent(value)
        second = (
            isinstance(index, ast.Subscript)
            and isinstance(index.slice, ast.Constant)
            and index.slice.value == 1
        )
        if isinstance(tag, ast.Constant) and tag.value == "+cu" and second:
            assert isinstance(index, ast.Subscript)
            return index
    return None


def _refuses(module: Module, test: ast.Compare) -> bool:
    above = module.parent(test)
    negative = isinstance(test.ops[0], ast.NotIn)
    if isinstance(above, ast.UnaryOp):
        negative, above = not negative, module.parent(above)
    if isinstance(above, ast.Assert):
        return not negative
    if isinstance(above, ast.If):
        block = above.body if negative else above.orelse
        return any(
            isinstance(s, ast.Raise) or (isinstance(s, ast.Expr) and module.guards.exits([s])) for s in block
        )
    if isinstance(above, (ast.Assign, ast.Return)):
        name = (
            module.text(above.targets[0])
            if isinstance(above, ast.Assign)
            else getattr(module.function(above), "name", "")
        )
        return (
            not negative
            and re.search(r"gpu|has_cuda|use_cuda|accel|is_cuda_build", name, re.IGNORECASE) is not None
        )
    return False


def _knows_rocm(module: Module, place: ast.expr) -> bool:
    region = module.function(place)
    text = module.text(region) if region is not None else module.text(module.statement(place))
    return "rocm" in text.lower() or "hip" in text.lower()


def _fix(module: Module, place: ast.expr) -> Fix | None:
    torch = torch_name(module, place)
    if torch is None or not isinstance(place, ast.Compare):
        return None
    if isinstance(place.ops[0], ast.NotIn):
        from ..fixes import and_not_hip

        return and_not_hip(module, place, "accept a ROCm build too")
    return or_hip(module, place, "accept a ROCm build too")
