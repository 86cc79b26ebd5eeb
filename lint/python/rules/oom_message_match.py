"""AMD9001: "CUDA out of memory" looked for in the text of an error."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..module import Module

_TEXT = re.compile(r"CUDA (?:error: )?out of memory\.?", re.IGNORECASE)
_ERROR = re.compile(
    r"\b(?:e|ex|exc\w*|err\w*|\w*(?:error|exception)s?|msg|message|reason|trace\w*|stderr)\b|\bstr\(", re.I
)
_NEAR = (b"ut of memory", b"OUT OF MEMORY")


@rule("AMD9001", triggers={"memory"})
def oom_message_match(module: Module) -> Iterator[Finding]:
    if not module.holds(*_NEAR):
        return
    if b"out of memory" not in module.source.data:
        return
    for node in module.strings("memory"):
        if not isinstance(node.value, str) or not _TEXT.match(node.value.strip()) or len(node.value) > 60:
            continue
        place = _looked_for(module, node)
        if place is None or module.guarded(node) or _also_hip(module, node) or _own_text(module, node):
            continue
        yield module.report(
            "AMD9001", node, 'ROCm says "HIP out of memory": this never matches', _fix(module, node, place)
        )


def _looked_for(module: Module, node: ast.Constant) -> ast.expr | None:
    """The comparison or search that uses the text."""
    above = module.parent(node)
    if (
        isinstance(above, ast.Compare)
        and isinstance(above.ops[0], (ast.In, ast.NotIn))
        and above.left is node
    ):
        return above
    if isinstance(above, ast.Call) and node in above.args:
        func = above.func
        if isinstance(func, ast.Attribute) and func.attr in (
            "startswith",
            "find",
            "count",
            "search",
            "match",
            "contains",
        ):
            return above
    if isinstance(above, (ast.List, ast.Tuple, ast.Set)):
        holder = module.parent(above)
        if isinstance(holder, (ast.For, ast.comprehension)):
            return above if _in_an_error(module, holder) else None
        if isinstance(holder, ast.Assign) and isinstance(holder.targets[0], ast.Name):
            for hit in module.hits(holder.targets[0].id):
                user = module.parent(hit)
                if isinstance(user, (ast.For, ast.comprehension)) and user.iter is hit:
                    return above if _in_an_error(module, user) else None
    if isinstance(above, ast.Assign) and isinstance(above.targets[0], ast.Name):
        for hit in module.hits(above.targets[0].id):
            test = module.parent(hit)
            if (
                isinstance(test, ast.Compare)
                and test.left is hit
                and isinstance(test.ops[0], (ast.In, ast.NotIn))
            ):
                return test
    return None


def _in_an_error(module: Module, loop: ast.For | ast.comprehension) -> bool:
    """Whether a list of texts is looked for in an error, and not in a log that holds those of many programs."""
    if not isinstance(loop.target, ast.Name):
        return False
    where = loop if isinstance(loop, ast.For) else module.parent(loop)
    return where is not None and any(
        isinstance(n, ast.Compare)
        and isinstance(n.left, ast.Name)
        and n.left.id == loop.target.id
        and isinstance(n.ops[0], (ast.In, ast.NotIn))
        and _ERROR.search(module.text(n.comparators[0])) is not None
        for n in ast.walk(where)
    )


def _own_text(module: Module, node: ast.Constant) -> bool:
    """Whether a test compares with the text that it raised itself: only an except branch meets torch's."""
    path = module.source.path
    test = path.name.startswith(("test_", "conftest")) or path.stem.endswith("_test")
    return test and not any(isinstance(above, ast.ExceptHandler) for above in module.parents(node))


def _also_hip(module: Module, node: ast.Constant) -> bool:
    """Whether AMD's text, the common part or the exception class is looked for beside it."""
    function = module.function(node)
    region = module.text(function) if function is not None else module.text(module.statement(node))
    return bool(
        "HIP out of memory" in region
        or "OutOfMemoryError" in region
        or re.search(r"[\"'] ?out of memory", region)
    )


def _fix(module: Module, node: ast.Constant, place: ast.expr) -> Fix | None:
    text = module.text(node)
    common = re.sub(r"CUDA (?:error: )?out of memory", "out of memory", text, flags=re.IGNORECASE)
    if (
        module.fstring(node) is not None
        or common == text
        or text.count("out of memory") + text.count("OUT OF MEMORY") > 1
    ):
        return None
    message = "look for the part that both vendors write"
    if (
        isinstance(place, ast.Call)
        and isinstance(place.func, ast.Attribute)
        and place.func.attr in ("startswith", "match")
    ):
        if place.func.attr == "match":
            return None
        return Fix(
            "safe", message, (module.replace(place, f"({common} in {module.text(place.func.value)})"),)
        )
    return Fix("safe", message, (module.replace(node, common),))
