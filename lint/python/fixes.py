"""Small rewrites that many rules share. Each keeps the NVIDIA path exactly as it was written.

All of them ask ``torch.version.hip``: a string on ROCm, None elsewhere. They answer None where the
rewrite cannot be made at this place (inside an f-string, or where ``torch`` names something else).
"""

from __future__ import annotations

import ast
import re
import textwrap
from typing import TYPE_CHECKING

from ...kb.model import Applicability
from ..finding import Edit, Fix, Move

if TYPE_CHECKING:
    from .module import Module

KEEP_NVIDIA = "keep the branch for NVIDIA"
# torch.jit.script reads torch.version.hip like any other constant.
_KERNEL = re.compile(r"\bn?jit\b(?!\.(?:script|ignore|export|unused))|\bkernel\b")


def torch_name(module: Module, node: ast.AST) -> tuple[str, tuple[str, ...]] | None:
    """What torch is called at a node, and the import that this needs; None where asking torch could raise."""
    if _compiled(module, node) or any(
        isinstance(getattr(h, "ctx", None), ast.Del) for h in module.hits("torch")
    ):
        return None
    visible = module.resolver.visible("torch", node)
    if visible:
        imports = [b.node for b in visible if b.kind == "import" and b.dotted == "torch"]
        if not imports or (len(imports) < len(visible) and not _asks_torch(node)):
            return None
        real = [i for i in imports if not _for_types_only(module, i)]
        if not real:
            return "torch", ("import torch",)
        if any(_has_run(module, i, node) for i in real):
            return "torch", ()
        late = all(module.row(i) > module.row(node) and _unconditional(module, i) for i in real)
        if module.function(node) is None and late and not _environment_between(module, node, real):
            return "torch", ("import torch",)
        return None
    for hit in module.hits("torch"):
        if isinstance(hit, ast.alias) and hit.name == "torch" and hit.asname:
            seen = any(b.node is hit for b in module.resolver.visible(hit.asname, node))
            if seen and not _for_types_only(module, hit) and _has_run(module, hit, node):
                return hit.asname, ()
    return "torch", ("import torch",)


def _compiled(module: Module, node: ast.AST) -> bool:
    """Whether a node belongs to a kernel (Triton, Numba, CUTLASS): compilers of those know no torch."""
    return any(
        _KERNEL.search(module.text(decorator))
        for above in module.parents(node)
        if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef)) and node not in above.decorator_list
        for decorator in above.decorator_list
    )


def _asks_torch(node: ast.AST) -> bool:
    """Whether the code asks torch anyway: then nothing new can fail."""
    return any(isinstance(n, ast.Name) and n.id == "torch" for n in ast.walk(node))


def _has_run(module: Module, imported: ast.AST, node: ast.AST) -> bool:
    """Whether the program has surely passed an import when it comes to a node."""
    own = module.function(imported)
    if own is module.function(node) and module.row(imported) > module.row(node):
        return False
    return _asks_torch(node) or _unconditional(module, imported, node)


def _unconditional(module: Module, imported: ast.AST, node: ast.AST | None = None) -> bool:
    """Whether nothing lets the program go on to ``node`` without the import."""
    around = set(module.parents(node)) if node is not None else set()
    child = imported
    for above in module.parents(imported):
        block = next((b for b in _blocks(above) if child in b), None)
        inside = block is not None and any(s in around or s is node for s in block)
        if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            return above in around  # ``global torch`` in another function: it may not have been called
        if isinstance(above, (ast.If, ast.For, ast.While, ast.Match, ast.match_case)) and not inside:
            return False
        if isinstance(above, ast.Try) and not inside:
            leaves = all(module.guards.exits(h.body) for h in above.handlers)
            if block is not above.body or not leaves:
                return False
        child = above
    return True


def _blocks(node: ast.AST) -> list[list[ast.stmt]]:
    found = [getattr(node, name, None) for name in ("body", "orelse", "finalbody", "handlers", "cases")]
    return [b for b in found if isinstance(b, list)]


def _for_types_only(module: Module, imported: ast.AST) -> bool:
    """Whether an import stands under ``if TYPE_CHECKING``: the name does not exist when the program runs."""
    return any(
        isinstance(above, ast.If) and module.text(above.test).split(".")[-1] == "TYPE_CHECKING"
        for above in module.parents(imported)
    )


def _environment_between(module: Module, node: ast.AST, imports: list[ast.AST]) -> bool:
    """Whether variables are set between a node and torch's import: torch would miss them, imported earlier."""
    if not imports:
        return False
    end = module.span(module.statement(node))[1]
    return b"environ" in module.source.data[end : min(module.span(i)[0] for i in imports)]


def and_not_hip(module: Module, test: ast.expr, message: str = KEEP_NVIDIA) -> Fix | None:
    """``test`` becomes false on ROCm."""
    return _join(module, test, "{torch}.version.hip is None", ast.And, message)


def or_hip(module: Module, test: ast.expr, message: str) -> Fix | None:
    """``test`` becomes true on ROCm."""
    return _join(module, test, "{torch}.version.hip is not None", ast.Or, message)


def _join(module: Module, test: ast.expr, asked: str, op: type[ast.boolop], message: str) -> Fix | None:
    torch = torch_name(module, test)
    if torch is None or module.fstring(test) is not None:
        return None
    word = "and" if op is ast.And else "or"
    prefix, suffix = f"{asked.format(torch=torch[0])} {word} ", ""
    if any(isinstance(n, ast.NamedExpr) for n in ast.walk(test)):
        # What the test assigns may be used later: it has to run on ROCm too.
        prefix, suffix = "", f" {word} {asked.format(torch=torch[0])}"
    if _looser(test, op):
        prefix, suffix = f"{prefix}(", f"){suffix}"
    if not (_takes_anything(module, test, op) or _in_own_parentheses(module, test)):
        prefix, suffix = f"({prefix}", f"{suffix})"
    edits = [e for e in (module.before(test, prefix), module.after(test, suffix)) if e.content]
    return Fix("safe", message, tuple(edits), imports=torch[1])


def _looser(test: ast.expr, op: type[ast.boolop]) -> bool:
    """Whether an expression would fall apart as an operand of ``and`` or ``or``."""
    if isinstance(test, ast.BoolOp):
        return isinstance(test.op, ast.Or) and op is ast.And
    return isinstance(test, (ast.IfExp, ast.Lambda, ast.NamedExpr, ast.Yield, ast.YieldFrom))


def _takes_anything(module: Module, test: ast.expr, op: type[ast.boolop]) -> bool:
    """Whether ``and`` and ``or`` may stand at the place of an expression without parentheses."""
    above = module.parent(test)
    whole = (ast.If, ast.While, ast.Return, ast.Assign, ast.AnnAssign, ast.Assert, ast.keyword, ast.Call)
    if isinstance(above, (*whole, ast.comprehension, ast.match_case)):
        return True
    if isinstance(above, ast.BoolOp):
        return isinstance(above.op, op)
    return isinstance(above, ast.IfExp) and above.test is test


_BEFORE_PARENTHESES = re.compile(
    rb"(?:^|[^\w\])\"'])$|\b(?:if|elif|while|and|or|not|in|is|return|assert|else|yield|await|lambda)$"
)


def _in_own_parentheses(module: Module, node: ast.expr) -> bool:
    """Whether a node already stands alone in parentheses that are not those of a call."""
    start, end = module.span(node)
    data = module.source.data
    left, right = data[:start].rstrip(), data[end:].lstrip()
    return (
        left.endswith(b"(")
        and right.startswith(b")")
        and _BEFORE_PARENTHESES.search(left[max(0, len(left) - 12) : -1].rstrip()) is not None
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


def splice_elements(module: Module, elements: list[ast.expr], message: str) -> Fix | None:
    """Neighbouring elements of a list or tuple stay there only on NVIDIA."""
    torch = torch_name(module, elements[0])
    if torch is None:
        return None
    right = f"] if {torch[0]}.version.hip is None else [])"
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
    test = f"{torch[0]}.version.hip is None"
    start, end = module.span(stmt)
    line_end = module.source.data.find(b"\n", end)  # a comment behind the statement goes with it
    end = len(module.source.data) if line_end < 0 else line_end
    move = Move(start, end, test=test, indent=indent, step=unit(module), otherwise=amd)
    return Fix("safe", message, (move,), imports=torch[1], **more)  # type: ignore[arg-type]


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
