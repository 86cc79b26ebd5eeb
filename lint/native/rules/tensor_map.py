"""AMD3246: TMA descriptors (CUtensorMap)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..names import missing_words
from ..unit import Unit

CODE = "AMD3246"
_NAMES = re.compile(r"CUtensorMap\w*|cuTensorMap\w+|CU_TENSOR_MAP_\w+|PFN_cuTensorMap\w+")


@rule(
    CODE,
    triggers={
        "CUtensorMap",
        "cuTensorMapEncodeTiled",
        "cuTensorMapEncodeIm2col",
        "CUtensorMapDataType",
        "PFN_cuTensorMapEncodeTiled",
    },
)
def tensor_map(unit: Unit) -> Iterator[Finding]:
    for i in missing_words(unit, _NAMES):
        yield unit.finding(
            CODE,
            i,
            detail=f"{unit.texts[i]} describes a TMA copy, which only NVIDIA GPUs from Hopper on have",
            fix=Fix(
                "display",
                "compile this path for NVIDIA only",
                paste=f"{unit.if_not_amd}\n  // TMA\n#else\n  // ordinary loads\n#endif",
            ),
        )
