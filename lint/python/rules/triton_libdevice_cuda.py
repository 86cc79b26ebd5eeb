"""AMD3006: CUDA's libdevice imported by name."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from ..module import Module

_CUDA = "triton.language.extra.cuda"
_NEAR = (b"extra.cuda", b"extra import cuda")


@rule("AMD3006", triggers={"libdevice", "extra"})
def triton_libdevice_cuda(module: Module) -> Iterator[Finding]:
    if not module.holds(*_NEAR):
        return
    seen: set[ast.AST] = set()
    for stmt, _, dotted in module.imports(f"{_CUDA}.libdevice"):
        if stmt not in seen and not module.guarded(stmt) and not _for_old_triton(module, stmt):
            seen.add(stmt)
            detail = (
                "imports fine on ROCm, so no except branch is taken, and fails when the kernel is compiled"
            )
            yield module.report("AMD3006", stmt, detail, _fix(module, stmt, dotted))


def _for_old_triton(module: Module, stmt: ast.stmt) -> bool:
    """The other choice after the common module, which every ROCm build with a current Triton has."""
    child: ast.AST = stmt
    for above in module.parents(stmt):
        if isinstance(above, ast.Try) and isinstance(child, ast.ExceptHandler):
            return any(
                "extra.libdevice" in module.text(s) or "extra import libdevice" in module.text(s)
                for s in above.body
            )
        child = above
    return False


def _fix(module: Module, stmt: ast.Import | ast.ImportFrom, dotted: str) -> Fix | None:
    text = module.text(stmt)
    message = "import the libdevice that serves every backend"
    if isinstance(stmt, ast.ImportFrom) and stmt.module == f"{_CUDA}.libdevice":
        start = module.span(stmt)[0] + text.index(_CUDA)
        return Fix(
            "safe",
            message,
            (Edit(start, start + len(f"{_CUDA}.libdevice"), "triton.language.extra.libdevice"),),
        )
    if isinstance(stmt, ast.ImportFrom) and stmt.module == _CUDA and len(stmt.names) == 1:
        start = module.span(stmt)[0] + text.index(_CUDA)
        return Fix("safe", message, (Edit(start, start + len(_CUDA), "triton.language.extra"),))
    if isinstance(stmt, ast.Import) and stmt.names[0].asname:
        start = module.span(stmt)[0] + text.index(_CUDA)
        return Fix(
            "safe",
            message,
            (Edit(start, start + len(f"{_CUDA}.libdevice"), "triton.language.extra.libdevice"),),
        )
    return None
