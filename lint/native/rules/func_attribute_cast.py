"""AMD2203: cudaFuncSetAttribute without a cast of the kernel."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..lexer import WORD
from ..unit import Unit

CODE = "AMD2203"
NAMES = ("cudaFuncSetAttribute", "cudaFuncGetAttributes", "cudaFuncSetCacheConfig", "hipFuncSetAttribute")


@rule(CODE, triggers=set(NAMES))
def func_attribute_cast(unit: Unit) -> Iterator[Finding]:
    for call in unit.calls(*NAMES):
        at = 1 if unit.texts[call.name] == "cudaFuncGetAttributes" else 0
        if len(call.args) <= at or unit.provided(unit.texts[call.name]):
            continue
        first, last = call.args[at]
        if not _is_kernel(unit, first, last):
            continue
        text = unit.slice(first, last)
        fix = Fix(
            "safe",
            "cast the kernel to const void*",
            (unit.edit(first, last - 1, f"reinterpret_cast<const void*>({text})"),),
        )
        yield unit.finding(
            CODE,
            call.name,
            call.close,
            detail=f"HIP takes const void* only, and {' '.join(text.split())} does not convert by itself",
            fix=fix,
        )


def _is_kernel(unit: Unit, first: int, last: int) -> bool:
    """A kernel's name, an instance of a kernel template, or a variable that holds one."""
    texts = unit.texts
    words = texts[first:last]
    if "void" in words or any(t in ("reinterpret_cast", "static_cast") for t in words) or words[0] == "(":
        return False
    i = first + 1 if words[0] == "&" else first
    if unit.tokens.kinds[i] != WORD:
        return False
    if any(f.kernel for u in (unit, *unit.headers) for f in u.functions.by_name.get(texts[i], ())):
        return True
    if "<" in words and i + 1 < last:
        return True
    declared = unit.declared(texts[i], i)
    return (
        declared is not None
        and "auto" in texts[declared[0] : declared[1]]
        and texts[declared[2]] == "="
        and not _void_cast(unit, declared[2])
    )


def _void_cast(unit: Unit, i: int) -> bool:
    end = i
    while unit.texts[end] != ";":
        end += 1
    return "void" in unit.texts[i:end]
