"""AMD3219: inline PTX, which no AMD assembler reads."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..ptx import Asm, portable, statements
from ..rewrite import alternatives
from ..unit import Unit

CODE = "AMD3219"
OWN_RULE = re.compile(r"\b(?:mma|wgmma|ldmatrix|stmatrix|movmatrix|tcgen05)\b[.\w]|\bcp\.async")


@rule(CODE, triggers={"asm", "__asm__", "__asm"})
def inline_ptx(unit: Unit) -> Iterator[Finding]:
    for asm in statements(unit):
        if OWN_RULE.search(asm.code) or unit.amd_only(asm.first):
            continue
        what = re.sub(r"\s+", " ", asm.code).strip()
        what = what if len(what) <= 40 else what[:37] + "..."
        yield unit.finding(
            CODE,
            asm.first,
            asm.close,
            detail=f'the AMD assembler does not know "{what}"',
            fix=rewrite(unit, asm),
        )


def rewrite(unit: Unit, asm: Asm) -> Fix:
    """Plain C++ for AMD beside the PTX for NVIDIA."""
    lines = portable(unit, asm)
    end = unit.next(asm.close)
    if lines and end < len(unit.texts) and unit.texts[end] == ";":
        edits = alternatives(unit, asm.first, end, lines)
        if edits:
            if "globaltimer" in asm.code:
                return Fix(
                    "unsafe",
                    "read the wall clock on AMD",
                    edits,
                    reason="wall_clock64() counts ticks, not nanoseconds: scale by hipDeviceAttributeWallClockRate (kHz)",
                )
            return Fix("safe", "plain C++ on AMD", edits)
    return Fix(
        "display",
        "guard the PTX and write the AMD side",
        paste=f"{unit.if_amd}\n  // the same in C++ or with __builtin_amdgcn_...\n#else\n  {unit.slice(asm.first, asm.close + 1)};\n#endif",
    )
