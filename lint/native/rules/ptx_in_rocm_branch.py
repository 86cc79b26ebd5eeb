"""AMD3220: PTX inside a branch that only ROCm builds compile."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..ptx import portable, statements
from ..unit import Unit

CODE = "AMD3220"


@rule(CODE, triggers={"asm", "__asm__", "__asm"})
def ptx_in_rocm_branch(unit: Unit) -> Iterator[Finding]:
    for asm in statements(unit):
        if not unit.amd_only(asm.first):
            continue
        lines = portable(unit, asm)
        end = unit.next(asm.close)
        if lines and unit.texts[end] == ";" and unit.macro_at(asm.first) is None:
            newline = unit.source.newline
            text = f"{newline}  ".join(lines)
            fix = Fix("safe", "plain C++", (unit.edit(asm.first, end, text),))
        else:
            fix = Fix(
                "display",
                "write it in C++",
                paste="if (pred) *reinterpret_cast<float4*>(dst) = *reinterpret_cast<const float4*>(src);",
            )
        yield unit.finding(
            CODE, asm.first, asm.close, detail="this branch is compiled for AMD only, and holds PTX", fix=fix
        )
