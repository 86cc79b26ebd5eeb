"""AMD3221: <mma.h> and nvcuda::wmma."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..rewrite import skip_include
from ..unit import Unit

CODE = "AMD3221"


@rule(CODE, triggers={"mma", "nvcuda"})
def wmma_header(unit: Unit) -> Iterator[Finding]:
    reason = "rocWMMA knows gfx9 (CDNA) and gfx11 or later, and its fragments span 64 lanes on CDNA: check tile shapes and block sizes"
    for name, _, directive in unit.pre.includes:
        if name == "mma.h" and unit.pre.live(directive.start) is not False:
            amd = ["#include <rocwmma/rocwmma.hpp>", "namespace nvcuda { namespace wmma = rocwmma; }"]
            fix = Fix("unsafe", "rocWMMA on AMD", skip_include(unit, directive, amd), reason=reason)
            yield unit.finding(CODE, directive.token, directive.last - 1, detail="ROCm has no mma.h", fix=fix)
    if unit.provided("nvcuda") or _aliased(unit):
        return
    lines: set[int] = set()
    for i in unit.words("nvcuda"):
        row = unit.source.position(unit.tokens.starts[i])[0]
        if row not in lines and not unit.amd_only(i):
            lines.add(row)
            yield unit.finding(CODE, i, detail="the namespace nvcuda comes from mma.h", fix=None)


def _aliased(unit: Unit) -> bool:
    """Whether an AMD branch defines the namespace itself."""
    return any(
        unit.texts[i - 1] == "namespace" and unit.texts[i + 1] in ("{", "=") and unit.texts[i - 2] != "using"
        for i in unit.words("nvcuda")
    )
