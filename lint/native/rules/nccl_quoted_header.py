"""AMD2207: "nccl.h" in quotes, which hipify leaves alone."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from ..names import at_include
from ..unit import Unit

CODE = "AMD2207"


@rule(CODE, triggers={"nccl"})
def nccl_quoted_header(unit: Unit) -> Iterator[Finding]:
    for name, angle, directive in unit.pre.includes:
        if name != "nccl.h" or angle or unit.pre.live(directive.start) is False or unit.own_header(name):
            continue
        if unit.build in ("nvcc", "hip"):
            continue
        i = directive.first
        start, end = unit.span(i)
        fix = Fix("safe", "angle brackets, which hipify maps to RCCL", (Edit(start, end, "<nccl.h>"),))
        yield at_include(
            unit, CODE, directive, "hipify maps <nccl.h> to <rccl/rccl.h>, but not the form in quotes", fix
        )
