"""AMD3009: compiled.asm["ptx"] of a kernel compiled for AMD."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..fixes import otherwise
from ..module import Module

_STAGES = {"ptx": '"amdgcn"', "cubin": '"hsaco"', "sass": '"amdgcn"'}


@rule("AMD3009", triggers=set(_STAGES))
def triton_ptx_inspect(module: Module) -> Iterator[Finding]:
    for stage in _STAGES:
        for node in module.strings(stage):
            above = module.parent(node)
            if node.value == stage and isinstance(above, (ast.Tuple, ast.List, ast.Set)):
                yield from _in_loop(module, node, above, stage)
                continue
            if (
                node.value != stage
                or not isinstance(above, ast.Subscript)
                or above.slice is not node
                or not isinstance(above.ctx, ast.Load)
            ):
                continue
            owner = above.value
            if (
                not _is_asm(module, owner)
                or module.guarded(node)
                or module.tried(node, "KeyError", "Exception")
                or _asked(module, node, stage)
            ):
                continue
            yield module.report(
                "AMD3009",
                above,
                f'KeyError on AMD: the stages there are llir, amdgcn and hsaco, not "{stage}"',
                _fix(module, node, stage),
            )


def _in_loop(
    module: Module, node: ast.Constant, stages: ast.Tuple | ast.List | ast.Set, stage: str
) -> Iterator[Finding]:
    """``for name in ("ttir", "ptx"): print(compiled.asm[name])``."""
    sources: set[ast.AST] = {stages}
    holder = module.parent(stages)
    if (
        isinstance(holder, ast.Assign)
        and len(holder.targets) == 1
        and isinstance(holder.targets[0], ast.Name)
    ):
        name = holder.targets[0]
        reads = [h for h in module.hits(name.id) if isinstance(h, ast.Name) and isinstance(h.ctx, ast.Load)]
        sources |= {r for r in reads if any(b.node is name for b in module.resolver.lookup(r))}
    for source in sources:
        loop = module.parent(source)
        if not isinstance(loop, (ast.For, ast.comprehension)) or not isinstance(loop.target, ast.Name):
            continue
        region = loop if isinstance(loop, ast.For) else module.parent(loop)
        if loop.iter is not source:
            continue
        for read in module.hits(loop.target.id):
            above = module.parent(read)
            if (
                isinstance(above, ast.Subscript)
                and above.slice is read
                and isinstance(above.ctx, ast.Load)
                and _is_asm(module, above.value)
                and region is not None
                and region in module.parents(read)
                and not _filtered(module, read, loop.target.id)
                and not module.guarded(read)
                and not module.guarded(node)
                and not module.tried(read, "KeyError", "Exception")
            ):
                yield module.report(
                    "AMD3009",
                    above,
                    f'KeyError on AMD at "{stage}": the stages there are llir, amdgcn and hsaco',
                )


def _filtered(module: Module, read: ast.AST, name: str) -> bool:
    """Whether a condition around the place looks at the loop's name: ``if name in compiled.asm``."""
    for above in module.parents(read):
        tests = [above.test] if isinstance(above, (ast.If, ast.IfExp)) else []
        if isinstance(above, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            tests = [i for g in above.generators for i in g.ifs]
        if any(isinstance(n, ast.Name) and n.id == name for t in tests for n in ast.walk(t)):
            return True
        if isinstance(above, ast.For):
            return any(
                isinstance(s, ast.If)
                and module.guards.exits(s.body)
                and any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(s.test))
                for s in above.body
            )
    return False


def _is_asm(module: Module, owner: ast.expr) -> bool:
    if isinstance(owner, ast.Attribute) and owner.attr == "asm":
        return True
    return any(
        isinstance(b.value, ast.Attribute) and b.value.attr == "asm" for b in module.resolver.bound_to(owner)
    )


def _asked(module: Module, node: ast.Constant, stage: str) -> bool:
    """``if "ptx" in compiled.asm:`` around it."""
    for above in module.parents(node):
        if isinstance(above, (ast.If, ast.IfExp)) and f'"{stage}" in' in module.text(above.test).replace(
            "'", '"'
        ):
            return True
    return False


def _fix(module: Module, node: ast.Constant, stage: str) -> Fix | None:
    torch_fix = otherwise(module, node, _STAGES[stage], "read the AMD stage on ROCm")
    if torch_fix is None:
        return None
    # a subscript needs no parentheses around the choice
    edits = tuple(
        type(e)(e.start, e.end, e.content.removesuffix(")") if e.content != "(" else "")
        for e in torch_fix.edits
    )
    return Fix("safe", torch_fix.message, tuple(e for e in edits if e.content), imports=torch_fix.imports)
