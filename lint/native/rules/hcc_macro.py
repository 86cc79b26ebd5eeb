"""AMD2201: guards with macros of the HCC compiler, which ROCm no longer defines."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..preprocess import OBSOLETE_HIP
from ..unit import Unit

CODE = "AMD2201"


@rule(CODE, triggers=set(OBSOLETE_HIP))
def hcc_macro(unit: Unit) -> Iterator[Finding]:
    for d in unit.tokens.directives:
        if d.name not in ("if", "ifdef", "ifndef", "elif"):
            continue
        words = unit.texts[d.first : d.last]
        old = [i for i in range(d.first, d.last) if unit.texts[i] in OBSOLETE_HIP]
        if not old or any(
            w in ("__HIP_PLATFORM_AMD__", "USE_ROCM", "__HIPCC__", "__HIP__", "__HIP_DEVICE_COMPILE__")
            for w in words
        ):
            continue
        yield unit.finding(
            CODE,
            d.token,
            d.last - 1,
            detail=f"{unit.texts[old[0]]} is defined by no ROCm since 6.0: AMD builds take the other branch",
            fix=Fix(
                "safe",
                "the macro that ROCm defines",
                tuple(unit.edit(i, i, "__HIP_PLATFORM_AMD__") for i in old),
            ),
        )
