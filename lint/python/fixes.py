"""Small rewrites that many rules share. Each keeps the NVIDIA path exactly as it was written.

All of them ask ``torch.version.hip``: a string on ROCm, None elsewhere. They answer None where the
rewrite cannot be made at this place (inside an f-string, or where ``torch`` names something else).
"""

from __future__ import annotations

import ast
import textwrap
from typing import TYPE_CHECKING

from ...kb.model import Applicability
from ..finding import Edit, Fix

if TYPE_CHECKING:
    from .module import Module

KEEP_NVIDIA = "keep the branch for NVIDIA"


def torch_name(module: Module, node: ast.AST) -> tuple[str, tuple[str, ...]] | None:
    """What torch is called at a node, and the import that this needs."""
    visible = module.resolver.visible("torch", node)
    if visible:
        if any(b.kind == "import" and b.dotted == "torch" for b in visible):
            late = (
                all(module.row(b.node) > module.row(node) for b in visible) and module.function(node) is None
            )
            return "torch", ("import torch",) if late else ()
        return None
    for hit in module.hits("torch"):
        if isinstance(hit, ast.alias) and hit.name == "torch" and hit.asname:
            if any(b.node is hit for b in module.resolver.visible(hit.asname, node)) and module.row(
                hit
            ) < module.row(node):
                return hit.asname, ()
    return "torch", ("import torch",)


def and_not_hip(module: Module, test: ast.expr, message: str = KEEP_NVIDIA) -> Fix | None:
    """``test`` becomes false on ROCm."""
    return _join(module, test, "{torch}.version.hip is None and ", ast.And, message)


def or_hip(module: Module, test: ast.expr, message: str) -> Fix | None:
    """``test`` becomes true on ROCm."""
    return _join(module, test, "{torch}.version.hip is not None or ", ast.Or, message)


def _join(module: Module, test: ast.expr, prefix: str, op: type[ast.boolop], message: str) -> Fix | None:
    torch = torch_name(module, test)
    if torch is None or module.fstring(test) is not None:
        return None
    prefix = prefix.format(torch=torch[0])
    above = module.parent(test)
    plain = isinstance(
        above,
        (
            ast.If,
            ast.While,
            ast.Return,
            ast.Assign,
            ast.AnnAssign,
            ast.Assert,
            ast.keyword,
            ast.Call,
            ast.comprehension,
        ),
    ) or (isinstance(above, ast.BoolOp) and isinstance(above.op, op))
    if isinstance(above, ast.IfExp) and above.test is test:
        plain = True
    if plain or _in_own_parentheses(module, test):
        return Fix("safe", message, (module.before(test, prefix),), imports=torch[1])
    return Fix(
        "safe", message, (module.before(test, f"({prefix}"), module.after(test, ")")), imports=torch[1]
    )


def _in_own_parentheses(module: Module, node: ast.expr) -> bool:
    """Whether a node already stands alone in parentheses that are not those of a call."""
    start, end = module.span(node)
    data = module.source.data
    left, right = data[:start].rstrip(), data[end:].lstrip()
    return (
        left.endswith(b"(")
        and right.startswith(b")")
        and not left[:-1].rstrip()[-1:].isalnum()
        and left[-2:-1] not in (b"]", b")", b"_")
    )


def otherwise(
    module: Module,
    value: ast.expr,
    amd: str,
    message: str,
    *,
    level: Applicability = "safe",
    reason: str = "",
    amd_first: bool = False,
) -> Fix | None:
    """``value`` becomes ``value if torch.version.hip is None else amd`` (or the other way round)."""
    torch = torch_name(module, value)
    if torch is None or module.fstring(value) is not None:
        return None
    above = module.parent(value)
    bare = isinstance(
        above, (ast.Assign, ast.AnnAssign, ast.Return, ast.keyword, ast.Dict, ast.List, ast.Tuple, ast.Set)
    )
    bare = bare or (isinstance(above, ast.Call) and value in above.args)
    if isinstance(above, ast.Dict) and value in above.keys:
        bare = False
    inner = isinstance(value, (ast.IfExp, ast.Lambda)) or (
        isinstance(value, ast.Tuple) and not module.text(value).startswith("(")
    )
    hip = f"{torch[0]}.version.hip"
    left, right = ("(", ")") if inner else ("", "")
    if amd_first:
        left = f"{amd} if {hip} is not None else {left}"
    else:
        right += f" if {hip} is None else {amd}"
    if not bare:
        left, right = f"({left}", f"{right})"
    edits = [e for e in (module.before(value, left), module.after(value, right)) if e.content]
    return Fix(level, message, tuple(edits), reason=reason, imports=torch[1])


def splice_elements(module: Module, elements: list[ast.expr], message: str, amd: str = "") -> Fix | None:
    """Neighbouring elements of a list or tuple stay there only on NVIDIA (``amd``: what stands there on ROCm)."""
    torch = torch_name(module, elements[0])
    if torch is None:
        return None
    right = f"] if {torch[0]}.version.hip is None else [{amd}])"
    return Fix(
        "safe",
        message,
        (module.before(elements[0], "*(["), module.after(elements[-1], right)),
        imports=torch[1],
    )


def splice_keywords(module: Module, keywords: list[ast.keyword], message: str) -> Fix | None:
    """Keyword arguments are passed only on NVIDIA. Neighbours must be given together."""
    torch = torch_name(module, keywords[0])
    if torch is None or any(k.arg is None for k in keywords):
        return None
    call = module.parent(keywords[0])
    assert isinstance(call, ast.Call)
    places = [call.keywords.index(k) for k in keywords]
    if places != list(range(places[0], places[0] + len(places))) or not isinstance(
        call.keywords[-1].arg, (str, type(None))
    ):
        return None
    edits = []
    for i, keyword in enumerate(keywords):
        start = module.span(keyword)[0]
        value_start = module.span(keyword.value)[0]
        opening = "**({" if i == 0 else ""
        edits.append(Edit(start, value_start, f'{opening}"{keyword.arg}": '))
    edits.append(module.after(keywords[-1], f"}} if {torch[0]}.version.hip is None else {{}})"))
    return Fix("safe", message, tuple(edits), imports=torch[1])


def indent_of(module: Module, stmt: ast.stmt) -> str | None:
    """The white space before a statement that starts its line; None when something else stands before it."""
    start, _ = module.span(stmt)
    line = module.source.data.rfind(b"\n", 0, start) + 1
    line = max(line, module.source.data.rfind(b"\r", 0, start) + 1)
    before = module.source.data[line:start]
    return before.decode() if not before.strip(b" \t\f") else None


def unit(module: Module) -> str:
    """One step of indentation as the file writes it."""
    for line in module.source.data.splitlines()[:400]:
        if line[:1] == b"\t":
            return "\t"
    return "    "


def only_on_nvidia(module: Module, stmt: ast.stmt, message: str, amd: str = "", **more: object) -> Fix | None:
    """The statement moves under ``if torch.version.hip is None:``; ``amd`` (statements) becomes the else branch."""
    torch = torch_name(module, stmt)
    indent = indent_of(module, stmt)
    if torch is None or indent is None or not _alone(module, stmt):
        return None
    if any(
        isinstance(n, (ast.Constant, ast.JoinedStr)) and n.end_lineno != n.lineno
        for n in module.walk(stmt)
        if hasattr(n, "lineno")
    ):
        return None  # a text over several lines would change when it is indented
    step, newline = unit(module), module.source.newline
    start, end = module.span(stmt)
    edits = [Edit(start, start, f"if {torch[0]}.version.hip is None:{newline}{indent}{step}")]
    first, last = module.row(stmt), stmt.end_lineno or module.row(stmt)
    for row in range(first + 1, last + 1):
        at = module.source.line_starts[row - 1]
        if module.source.line(row).strip():
            edits.append(Edit(at, at, step))
    if amd:
        tail = module.source.data[end:].split(b"\n", 1)[0].rstrip(b"\r")
        at = end + len(tail)
        lines = textwrap.indent(textwrap.dedent(amd).strip(), "    ").replace("    ", step).splitlines()
        body = newline.join(f"{indent}{line}" for line in lines)
        edits.append(Edit(at, at, f"{newline}{indent}else:{newline}{body}"))
    return Fix("safe", message, tuple(edits), imports=torch[1], **more)  # type: ignore[arg-type]


def leave_first(
    module: Module, stmt: ast.stmt, exit_line: str, message: str, comment: str = ""
) -> Fix | None:
    """Before a statement: ``if torch.version.hip is not None: <exit_line>``."""
    torch = torch_name(module, stmt)
    indent = indent_of(module, stmt)
    if torch is None or indent is None:
        return None
    step, newline = unit(module), module.source.newline
    note = f"  # {comment}" if comment else ""
    text = f"if {torch[0]}.version.hip is not None:{note}{newline}{indent}{step}{exit_line}{newline}{indent}"
    start, _ = module.span(stmt)
    return Fix("safe", message, (Edit(start, start, text),), imports=torch[1])


def _alone(module: Module, stmt: ast.stmt) -> bool:
    """Whether nothing but a comment follows a statement on its last line."""
    _, end = module.span(stmt)
    tail = module.source.data[end:].split(b"\n", 1)[0].strip()
    return not tail or tail.startswith(b"#")


def display(message: str, paste: str) -> Fix:
    """Code for a human to judge."""
    return Fix("display", message, paste=textwrap.dedent(paste).strip("\n"))
