"""AMD3011: atomics that wait for memory order nobody needs."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..module import Module

_ATOMICS = ("atomic_add", "atomic_max", "atomic_min", "atomic_and", "atomic_or", "atomic_xor")


@rule("AMD3011", triggers=set(_ATOMICS))
def triton_atomic_order(module: Module) -> Iterator[Finding]:
    for call in module.calls(*(f"triton.language.{a}" for a in _ATOMICS)):
        order = next((k for k in call.keywords if k.arg == "sem"), None)
        strict = order is None or (isinstance(order.value, ast.Constant) and order.value.value == "acq_rel")
        if (
            not strict
            or not isinstance(module.parent(call), ast.Expr)
            or len(call.args) > 3
            or module.guarded(call)
        ):
            continue  # a result that is used may carry an order that the kernel needs
        yield module.report(
            "AMD3011",
            call,
            "acq_rel flushes caches on AMD; a plain sum needs no order",
            _fix(module, call, order),
        )


def _fix(module: Module, call: ast.Call, order: ast.keyword | None) -> Fix | None:
    reason = "Correct only when no other memory access relies on the order of this atomic."
    if order is not None:
        return Fix("unsafe", "relaxed order", (module.replace(order.value, '"relaxed"'),), reason=reason)
    last: ast.AST = (call.keywords or call.args)[-1]
    return Fix("unsafe", "relaxed order", (module.after(last, ', sem="relaxed"'),), reason=reason)
