"""AMD3005: a tf32 input precision that the AMD backend refuses."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from ..fixes import display, otherwise
from ..module import Module
from ..triton import in_kernel

_PRECISIONS = ("tf32", "tf32x3")
_NAME = re.compile(r"prec", re.IGNORECASE)


@rule("AMD3005", triggers={"input_precision"})
def triton_tf32_precision(module: Module) -> Iterator[Finding]:
    if not any(True for _ in module.imports("triton")):
        return
    seen: set[ast.AST] = set()
    for word in _PRECISIONS:
        for node in module.strings(word):
            if node.value != word or module.guarded(node):
                continue
            place, fix = _place(module, node)
            if place is not None and place not in seen:
                seen.add(place)
                yield module.report(
                    "AMD3005", node, f'"{word}" is refused at compile time{_where(word)}', fix
                )


def _where(word: str) -> str:
    return " by every AMD target but gfx942" if word == "tf32" else " on AMD; bf16x3 and ieee are allowed"


def _place(module: Module, node: ast.Constant) -> tuple[ast.AST | None, Fix | None]:
    above = module.parent(node)
    if isinstance(above, ast.keyword) and above.arg == "input_precision":
        call = module.parent(above)
        if isinstance(call, ast.Call) and any(
            n.rpartition(".")[2] in ("dot", "dot_scaled") for n in module.names(call.func)
        ):
            return node, _drop(module, above, call) if node.value == "tf32" else display(
                "choose the precision outside the kernel", _CONSTEXPR
            )
    if in_kernel(module, node):
        return None, None
    if isinstance(above, (ast.Assign, ast.AnnAssign)):
        target = above.targets[0] if isinstance(above, ast.Assign) else above.target
        if _NAME.search(module.text(target)):
            return node, otherwise(module, node, '"ieee"', "ieee on ROCm")
    if isinstance(above, ast.keyword) and above.arg is not None and _NAME.search(above.arg):
        return node, otherwise(module, node, '"ieee"', "ieee on ROCm")
    if isinstance(above, (ast.List, ast.Tuple)):
        holder = module.parent(above)
        named = ""
        if isinstance(holder, ast.Assign):
            named = module.text(holder.targets[0])
        elif isinstance(holder, ast.comprehension):
            comp = module.parent(holder)
            named = module.text(comp) if comp is not None else ""
        if _NAME.search(named):
            rest = [e for e in above.elts if isinstance(e, ast.Constant) and e.value not in _PRECISIONS]
            inner = ", ".join(module.text(e) for e in rest) or '"ieee"'
            amd = f"[{inner}]" if isinstance(above, ast.List) else f"({inner},)"
            return above, otherwise(module, above, amd, "only the precisions that AMD has")
    if isinstance(above, ast.Dict) and node in above.values:
        key = above.keys[above.values.index(node)]
        if isinstance(key, ast.Constant) and isinstance(key.value, str) and _NAME.search(key.value):
            return node, otherwise(module, node, '"ieee"', "ieee on ROCm")
    return None, None


def _drop(module: Module, keyword: ast.keyword, call: ast.Call) -> Fix | None:
    """Without the argument Triton takes tf32 on NVIDIA and ieee on AMD."""
    start, end = module.span(keyword)
    data = module.source.data
    before = data[:start].rstrip()
    if not before.endswith(b",") or b"#" in data[len(before) : start]:
        return None
    return Fix(
        "safe",
        "leave it out: tf32 on NVIDIA and ieee on AMD are the defaults",
        (Edit(len(before) - 1, end, ""),),
    )


_CONSTEXPR = """
PRECISION = tl.constexpr("ieee" if torch.version.hip is not None else "tf32x3")
# in the kernel
acc = tl.dot(a, b, acc, input_precision=PRECISION)
"""
