"""AMD5002: fnuz types for every ROCm card, though only gfx942 takes them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..fixes import torch_name
from ..module import Module

_TYPES = ("float8_e4m3fnuz", "float8_e5m2fnuz")
_ARCH = re.compile(r"gfx9|gcnarch|arch|mi3\d\d|fnuz\s*\(|cdna3|is_fnuz|fp8_fnuz", re.IGNORECASE)


@rule("AMD5002", triggers=set(_TYPES))
def fp8_fnuz_everywhere(module: Module) -> Iterator[Finding]:
    for use in module.uses(*(f"torch.{t}" for t in _TYPES)):
        tests = _rocm_tests(module, use)
        if (
            not tests
            or any(_ARCH.search(t) for t in tests)
            or module.guarded(use)
            or _decided_elsewhere(module, use)
        ):
            continue
        if isinstance(module.parent(use), (ast.Compare, ast.Tuple, ast.List, ast.Set)):
            continue
        if isinstance(use, ast.Name) and any(b.kind != "import" for b in module.resolver.lookup(use)):
            continue  # a variable that holds the type: what matters is where it is set
        yield module.report(
            "AMD5002",
            use,
            "gfx950 and gfx12 take the OCP types and reject fnuz",
            _fix(module, use),
            targets=("gfx950", "gfx1200", "gfx1201"),
        )


def _rocm_tests(module: Module, use: ast.expr) -> list[str]:
    """Texts of the conditions that let only ROCm come here."""
    found: list[str] = []
    child: ast.AST = use
    for above in module.parents(use):
        if isinstance(above, (ast.If, ast.IfExp)) and child is not above.test:
            body = child is above.body if isinstance(above, ast.IfExp) else child in above.body
            if module.guards.truth(above.test) is body or found:
                found.append(module.text(above.test))
        child = above
    return found


def _decided_elsewhere(module: Module, use: ast.expr) -> bool:
    """The function looks at the architecture somewhere."""
    function = module.function(use)
    return (
        function is not None and re.search(r"gcnArchName|gfx9|_rocm_arch", module.text(function)) is not None
    )


def _fix(module: Module, use: ast.expr) -> Fix | None:
    torch = torch_name(module, use)
    if (
        torch is None
        or torch[0] != "torch"
        or not isinstance(use, ast.Attribute)
        or module.fstring(use) is not None
    ):
        return None
    text = module.text(use)
    ocp = text.removesuffix("uz") if use.attr == "float8_e4m3fnuz" else text.removesuffix("fnuz")
    bare = isinstance(module.parent(use), (ast.Assign, ast.AnnAssign, ast.Return, ast.keyword, ast.Call))
    left, right = ("", "") if bare else ("(", ")")
    new = f'{left}{text} if _rocm_arch().startswith("gfx94") else {ocp}{right}'
    return Fix(
        "safe", "fnuz on gfx94x only", (module.replace(use, new),), imports=torch[1], helpers=("_rocm_arch",)
    )
