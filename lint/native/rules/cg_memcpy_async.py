"""AMD3234: asynchronous copies through cooperative groups."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..names import at_include, includes, missing_calls
from ..unit import Unit

CODE = "AMD3234"
_PASTE = "for (int i = block.thread_rank(); i < count; i += block.size()) dst[i] = src[i];\nblock.sync();"


@rule(CODE, triggers={"memcpy_async", "cooperative_groups"})
def cg_memcpy_async(unit: Unit) -> Iterator[Finding]:
    fix = Fix("display", "a strided copy on AMD", paste=_PASTE)
    found = False
    for _, directive in includes(unit, re.compile(r"cooperative_groups/memcpy_async\.h")):
        found = True
        yield at_include(unit, CODE, directive, "HIP has no cooperative_groups/memcpy_async.h", fix)
    for _, call in missing_calls(unit, ("memcpy_async",)):
        yield unit.finding(CODE, call.name, call.close, detail="HIP has no memcpy_async", fix=fix)
    for call in unit.calls("wait", "wait_prior"):
        if found and unit.texts[call.name - 2 : call.name] in (["cg", "::"], ["cooperative_groups", "::"]):
            yield unit.finding(
                CODE,
                call.name,
                call.close,
                detail="waits for an asynchronous copy that HIP does not have",
                fix=fix,
            )
