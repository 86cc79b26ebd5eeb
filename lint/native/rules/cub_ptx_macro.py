"""AMD6204: CUB_PTX_* macros."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..names import missing_words
from ..unit import Unit

CODE = "AMD6204"
NAMES = (
    "CUB_PTX_WARP_THREADS",
    "CUB_PTX_LOG_WARP_THREADS",
    "CUB_WARP_THREADS",
    "CUB_LOG_WARP_THREADS",
    "CUB_PTX_ARCH",
    "CUB_PTX_SMEM_BANKS",
    "CUB_LOG_SMEM_BANKS",
)


@rule(CODE, triggers=set(NAMES))
def cub_ptx_macro(unit: Unit) -> Iterator[Finding]:
    for i in missing_words(unit, re.compile("|".join(NAMES))):
        name = unit.texts[i]
        log = "LOG" in name
        if "WARP_THREADS" in name:
            fix = (
                Fix("safe", "the width of a wave by target", helpers=(name,))
                if unit.in_device(i) and not unit.amd_only(i)
                else _by_target(name, log)
            )
        else:
            fix = Fix("display", "leave it to NVIDIA", paste=f"{unit.if_not_amd}\n  // {name}\n#endif")
        yield unit.finding(CODE, i, detail=f"hipcub has no {name}", fix=fix)


def _by_target(name: str, log: bool) -> Fix:
    wide, narrow = ("6", "5") if log else ("64", "32")
    return Fix(
        "display",
        "the width of a wave by target",
        paste=f"#if defined(__GFX9__)\n#define {name} {wide}\n#else\n#define {name} {narrow}\n#endif",
    )
