"""AMD2007: -U__CUDA_NO_HALF_* in a plain list: ROCm builds need the HIP names."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import build
from ..module import Module
from ..values import text_of

_WORDS = {"U__CUDA_NO_HALF_OPERATORS__", "U__CUDA_NO_HALF_CONVERSIONS__"}


@rule("AMD2007", triggers=_WORDS)
def half_operator_macros(module: Module) -> Iterator[Finding]:
    if b"__HIP_NO_HALF" in module.source.data:
        return
    seen: set[ast.AST] = set()
    for keyword in module.keywords("extra_compile_args"):
        call = module.parent(keyword)
        if (
            not isinstance(call, ast.Call)
            or not module.names(call.func) & {build.EXTENSIONS[0]}
            or isinstance(keyword.value, ast.Dict)
        ):
            continue  # torch renames the macros itself in the dict form
        for run in build.elements(module, keyword.value):
            flags = [e for e in run if (text_of(module, e) or "").startswith("-U__CUDA_NO_")]
            flags = [f for f in flags if f not in seen and not module.guarded(f)]
            if flags:
                seen.update(flags)
                yield module.report(
                    "AMD2007",
                    flags[0],
                    "ROCm builds define __HIP_NO_HALF_OPERATORS__: this leaves it defined",
                    _fix(module, flags),
                )


def _fix(module: Module, flags: list[ast.expr]) -> Fix | None:
    twins = [
        t
        for f in flags
        if (t := (text_of(module, f) or "").replace("__CUDA_NO_", "__HIP_NO_")).startswith(
            ("-U__HIP_NO_HALF_OPERATORS__", "-U__HIP_NO_HALF_CONVERSIONS__")
        )
    ]
    last = flags[-1]
    if not twins or not isinstance(module.parent(last), (ast.List, ast.Tuple)):
        return None
    start = module.span(last)[0]
    line = module.source.data.rfind(b"\n", 0, start) + 1
    white = module.source.data[line:start]
    joint = ", " if white.strip() else f",{module.source.newline}{white.decode()}"
    quoted = joint.join(f'"{t}"' for t in twins)
    return Fix("safe", "take back the HIP macros too", (module.after(last, f"{joint}{quoted}"),))
