"""AMD1003: code that expects every entry of the arch list to look like ``sm_80``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..fixes import and_not_hip, torch_name
from ..module import Module


@rule("AMD1003", triggers={"get_arch_list"})
def sm_arch_string(module: Module) -> Iterator[Finding]:
    seen: set[ast.AST] = set()
    for call in module.calls("torch.cuda.get_arch_list"):
        for value in module.flow(call):
            for place, detail, fix in [*_splits(module, value), *_lookups(module, value)]:
                if place not in seen and not module.guarded(place) and not module.tried(place, "Exception"):
                    seen.add(place)
                    yield module.report("AMD1003", place, detail, fix)


def _splits(module: Module, archs: ast.expr) -> Iterator[tuple[ast.AST, str, Fix | None]]:
    """``for arch in get_arch_list(): kind, number = arch.split("_")`` and comprehensions of that kind."""
    above = module.parent(archs)
    if (
        not isinstance(above, (ast.For, ast.comprehension))
        or above.iter is not archs
        or not isinstance(above.target, ast.Name)
    ):
        return
    region: ast.AST | None = above if isinstance(above, ast.For) else module.parent(above)
    if region is None:
        return
    for node in module.walk(region):
        if not isinstance(node, ast.Call) or not _takes_apart(module, node, above.target.id):
            continue
        if _says_sm(module, region, node):
            continue
        yield (
            node,
            "entries are gfx names on ROCm (gfx942): there is no sm_ to take off",
            _skip_gfx(module, above, archs),
        )


def _takes_apart(module: Module, call: ast.Call, name: str) -> bool:
    """``arch.split("_")`` and ``int(arch[3:])``: both want a name like sm_80."""
    func = call.func
    if isinstance(func, ast.Attribute):
        marks = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
        own = isinstance(func.value, ast.Name) and func.value.id == name
        return own and func.attr in ("split", "partition", "replace") and any("_" in m for m in marks)
    if isinstance(func, ast.Name) and func.id == "int":
        return any(isinstance(n, ast.Name) and n.id == name for n in module.walk(call))
    return False


def _says_sm(module: Module, region: ast.AST, split: ast.AST) -> bool:
    """Whether names that do not start with sm_ are left out before the split."""
    for node in module.walk(region):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "startswith"
        ):
            return True
        if (
            isinstance(node, ast.Compare)
            and isinstance(node.left, ast.Constant)
            and node.left.value in ("_", "sm_", "sm", "gfx")
        ):
            return True
    return False


def _skip_gfx(module: Module, loop: ast.For | ast.comprehension, archs: ast.expr) -> Fix | None:
    name = loop.target
    assert isinstance(name, ast.Name)
    if module.parent(archs) is not loop or not isinstance(archs, (ast.Call, ast.Name, ast.Attribute)):
        return None
    if isinstance(loop, ast.comprehension):
        if loop.ifs:
            return None
        return Fix("safe", "skip gfx names", (module.after(archs, f' if not {name.id}.startswith("gfx")'),))
    text = module.text(archs)
    return Fix(
        "safe",
        "skip gfx names",
        (module.replace(archs, f'[a for a in {text} if not a.startswith("gfx")]'),),
    )


def _lookups(module: Module, archs: ast.expr) -> Iterator[tuple[ast.AST, str, Fix | None]]:
    """``f"sm_{major}{minor}" not in torch.cuda.get_arch_list()``."""
    test = module.parent(archs)
    if (
        not isinstance(test, ast.Compare)
        or archs not in test.comparators
        or not isinstance(test.ops[0], (ast.In, ast.NotIn))
    ):
        return
    from ..values import text_of

    wanted = text_of(module, test.left)
    if wanted is None or not wanted.startswith(("sm_", "compute_")):
        return
    fix: Fix | None
    if isinstance(test.ops[0], ast.NotIn):
        fix = and_not_hip(module, test, "ask NVIDIA builds only")
    else:
        torch = torch_name(module, test)
        fix = None
        if torch is not None and module.fstring(test) is None:
            prefix = f"({torch[0]}.version.hip is not None or "
            fix = Fix(
                "safe",
                "ROCm wheels name gfx targets: do not look for sm_*",
                (module.before(test, prefix), module.after(test, ")")),
                imports=torch[1],
            )
    yield test, "the list holds gfx names on ROCm (gfx942): an sm_* name is never in it", fix
