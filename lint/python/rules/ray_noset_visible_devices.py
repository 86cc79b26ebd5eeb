"""AMD7001: Ray told to leave CUDA_VISIBLE_DEVICES alone, but not the AMD names."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from ..fixes import indent_of
from ..module import Module

_CUDA = "RAY_EXPERIMENTAL_NOSET_CUDA_VISIBLE_DEVICES"
_AMD = ("RAY_EXPERIMENTAL_NOSET_HIP_VISIBLE_DEVICES", "RAY_EXPERIMENTAL_NOSET_ROCR_VISIBLE_DEVICES")


@rule("AMD7001", triggers={_CUDA})
def ray_noset_visible_devices(module: Module) -> Iterator[Finding]:
    if module.words & set(_AMD) or b"NOSET_HIP" in module.source.data:
        return
    for node in module.strings(_CUDA):
        if node.value == _CUDA and not module.guarded(node):
            found, fix = _place(module, node)
            if found:
                yield module.report(
                    "AMD7001",
                    node,
                    "on AMD Ray narrows HIP_VISIBLE_DEVICES and ROCR_VISIBLE_DEVICES: every actor gets GPU 0",
                    fix,
                )


def _place(module: Module, node: ast.Constant) -> tuple[bool, Fix | None]:
    above = module.parent(node)
    message = "set the AMD names too"
    newline = module.source.newline
    if isinstance(above, ast.Dict) and node in above.keys:
        value = above.values[above.keys.index(node)]
        text, quote = module.text(value), module.text(node)[0]
        start = module.span(node)[0]
        line = module.source.data.rfind(b"\n", 0, start) + 1
        white = module.source.data[line:start]
        joint = ", " if white.strip() else f",{newline}{white.decode()}"
        rows = "".join(f"{joint}{quote}{name}{quote}: {text}" for name in _AMD)
        return True, Fix("safe", message, (module.after(value, rows),))
    statement = module.statement(node)
    store = isinstance(above, ast.Subscript) and isinstance(above.ctx, ast.Store)
    call = (
        isinstance(above, ast.Call)
        and isinstance(above.func, ast.Attribute)
        and above.func.attr in ("setdefault", "putenv")
    )
    if store or call:
        indent = indent_of(module, statement)
        start, end = module.span(statement)
        text = module.source.text(start, end)
        if indent is None or text.count(_CUDA) != 1:
            return True, None
        lines = "".join(f"{newline}{indent}{text.replace(_CUDA, name)}" for name in _AMD)
        return True, Fix("safe", message, (Edit(end, end, lines),))
    return False, None
