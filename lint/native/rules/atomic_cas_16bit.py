"""AMD3230: atomicCAS on 16-bit words, which HIP lacked before ROCm 7.1."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..lexer import WORD
from ..unit import Unit

CODE = "AMD3230"


@rule(CODE, triggers={"atomicCAS"})
def atomic_cas_16bit(unit: Unit) -> Iterator[Finding]:
    if unit.provided("atomicCAS"):
        return
    for call in unit.calls("atomicCAS"):
        if len(call.args) != 3 or unit.macro_at(call.name) is not None or not _is_16bit(unit, *call.args[0]):
            continue
        fix = Fix(
            "safe",
            "replace 16 bits of the aligned word on AMD",
            (unit.edit(call.name, call.name, "atomic_cas_16"),),
            helpers=("atomic_cas_16",),
        )
        yield unit.finding(
            CODE,
            call.name,
            call.close,
            detail="before ROCm 7.1 HIP's atomicCAS takes 32 and 64 bits only",
            fix=fix,
        )


def _is_16bit(unit: Unit, first: int, last: int) -> bool:
    """Whether the address is (cast to) a pointer to unsigned short."""
    words = unit.texts[first:last]
    if ("short" in words or "uint16_t" in words) and "*" in words:
        return True
    i = first + 1 if words[:1] == ["&"] else first
    declared = unit.declared(unit.texts[i], i) if i < last and unit.tokens.kinds[i] == WORD else None
    if declared is None:
        return False
    kind = unit.texts[declared[0] : declared[1]]
    return ("short" in kind or "uint16_t" in kind) and ("*" in kind or unit.texts[first] == "&")
