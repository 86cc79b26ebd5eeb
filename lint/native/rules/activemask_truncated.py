"""AMD3206: the 64 bits of __activemask are cut to 32."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..lanes import vote_helper
from ..unit import Unit
from ..votes import narrow_uses

CODE = "AMD3206"


@rule(CODE, triggers={"__activemask"})
def activemask_truncated(unit: Unit) -> Iterator[Finding]:
    if unit.provided("__activemask"):
        return
    helper = vote_helper(unit, "__activemask")
    fix = (
        Fix("safe", "the active lanes among the thread's own 32 on AMD", helpers=helper)
        if helper
        else Fix(
            "display",
            "keep the mask in 64 bits on AMD",
            paste="unsigned long long active = __activemask();\nint leader = __ffsll(active) - 1;",
        )
    )
    for use in narrow_uses(unit, ("__activemask",)):
        yield unit.finding(CODE, use.first, use.last, detail=use.detail, fix=fix, targets=("wave64",))
