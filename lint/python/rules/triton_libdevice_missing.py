"""AMD3007: functions that the AMD libdevice does not have."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..fixes import display
from ..module import Module

# Declared in triton.language.extra.libdevice, but without a HIP implementation in Triton 3.9.
_MISSING = {
    "div_rn", "div_rd", "div_ru", "div_rz", "fast_logf", "fast_powf", "fast_sinf", "ffs", "brev", "mulhi", "fma_rn", "fma_rd", "fma_ru", "fma_rz",
    "rcp_rn", "rcp_rd", "rcp_ru", "rcp_rz", "sqrt_rd", "sqrt_ru", "sqrt_rz", "sqrt_rn", "normcdf", "tgamma",
}  # fmt: skip
_PORTABLE = {"div_rn": "div_rn", "sqrt_rn": "sqrt_rn"}
_DISPATCHER = "triton.language.extra.libdevice"


@rule("AMD3007", triggers=_MISSING)
def triton_libdevice_missing(module: Module) -> Iterator[Finding]:
    if "libdevice" not in module.words:
        return
    names = sorted(_MISSING & module.words)
    seen: set[ast.AST] = set()
    wanted = [
        f"{m}.{n}"
        for n in names
        for m in (_DISPATCHER, "triton.language.extra.cuda.libdevice", "triton.language.libdevice")
    ]
    for use in module.uses(*wanted) if wanted else ():
        if use in seen or module.guarded(use):
            continue
        seen.add(use)
        name = (
            use.attr
            if isinstance(use, ast.Attribute)
            else next((n.rpartition(".")[2] for n in module.names(use)), "")
        )
        yield module.report(
            "AMD3007",
            use,
            f"AttributeError when the kernel is compiled for AMD: no {name} there; hasattr() says True",
            _fix(module, use, name),
        )


def _fix(module: Module, use: ast.expr, name: str) -> Fix | None:
    if name not in _PORTABLE:
        return None
    language = next(
        (a.asname for _, a, d in module.imports("triton.language") if d == "triton.language" and a.asname),
        None,
    )
    if language is None or not isinstance(use, ast.Attribute) or not module.resolver.visible(language, use):
        return display("use the function of the language itself", f"tl.{_PORTABLE[name]}")
    reason = "The function of triton.language takes float32 only."
    edit = module.replace(use, f"{language}.{_PORTABLE[name]}")
    return Fix("unsafe", "use the function of the language itself", (edit,), reason=reason)
