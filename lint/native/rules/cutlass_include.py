"""AMD6208: CUTLASS and CuTe."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from ...finding import Finding, Fix
from ...rules import rule
from ..names import at_include, includes, missing_words
from ..unit import Unit

CODE = "AMD6208"
_HEADER = re.compile(r"(?:cutlass|cute)/.+\.h(?:pp)?")
_IN_BLOCK = re.compile(r"\s*(?:(?://|/\*|\*|#\s*(?:include|pragma)).*)?")
_NAMES = re.compile(r"(?!)")


@rule(CODE, triggers={"cutlass", "cute"})
def cutlass_include(unit: Unit) -> Iterator[Finding]:
    fix = Fix(
        "display",
        "another kernel on AMD",
        paste=f"{unit.if_not_amd}\n#include <cutlass/...>\n#endif\n// on AMD: at::matmul, hipBLASLt or composable_kernel; leave this file out of the HIP sources",
    )
    found = [
        (
            name,
            at_include(
                unit, CODE, directive, f"CUTLASS is written for NVIDIA: {name} does not compile for AMD", fix
            ),
        )
        for name, directive in includes(unit, _HEADER)
    ]
    if found:  # one finding for the file: it covers the includes that follow the first one
        first, end = found[0][1], found[0][1].end
        for _, later in found[1:]:
            if not all(map(_IN_BLOCK.fullmatch, unit.source.text(end, later.start).splitlines()[1:])):
                break
            end = later.end
        yield replace(first, end=end)
    for i in missing_words(unit, _NAMES):
        yield unit.finding(CODE, i, detail="", fix=fix)
