"""AMD2004: options of nvcc that hipcc (clang) rejects."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import build
from ..fixes import otherwise, splice_elements
from ..module import Module
from ..values import text_of


@rule(
    "AMD2004",
    triggers={"nvcc", "extra_cuda_cflags", "extra_compile_args", "nvcc_args", "nvcc_flags", "get_nvcc_flags"},
)
def nvcc_only_flags(module: Module) -> Iterator[Finding]:
    seen: set[ast.AST] = set()
    for options in build.nvcc_lists(module):
        for run in build.elements(module, options):
            for flags in build.nvcc_only_runs(module, run):
                if flags[0] in seen or build.for_nvidia(module, flags[0]):
                    continue
                seen.update(flags)
                shown = text_of(module, flags[0])
                fix = _fix(module, flags)
                finding = module.report("AMD2004", flags[0], f"hipcc is clang and does not know {shown}", fix)
                yield Finding(finding.code, finding.start, module.span(flags[-1])[1], finding.detail, fix)


def _fix(module: Module, flags: list[ast.expr]) -> Fix | None:
    above = module.parent(flags[0])
    message = "give these options to nvcc only"
    if isinstance(above, (ast.List, ast.Tuple)):
        if len(above.elts) == len(flags) and isinstance(above, ast.List):
            return otherwise(module, above, "[]", message)
        return splice_elements(module, flags, message)
    if isinstance(above, ast.Call) and isinstance(above.func, ast.Attribute) and above.func.attr == "append":
        statement = module.parent(above)
        if isinstance(statement, ast.Expr):
            from ..fixes import only_on_nvidia

            return only_on_nvidia(module, statement, message)
    return None
