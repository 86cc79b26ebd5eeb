"""AMD6207: nvJPEG and NPP."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..names import at_include, includes, missing_words
from ..unit import Unit

CODE = "AMD6207"
_HEADER = re.compile(r"nvjpeg\.h|npp\w*\.h")
_NAMES = re.compile(r"nvjpeg[A-Z]\w*|npp[is]?[A-Z]\w*")


@rule(
    CODE,
    triggers={
        "nvjpeg",
        "npp",
        "nppi",
        "nvjpegHandle_t",
        "nvjpegCreateSimple",
        "NppiSize",
        "NppStatus",
        "NppiRect",
    },
)
def nvjpeg_npp(unit: Unit) -> Iterator[Finding]:
    fix = Fix(
        "display",
        "rocJPEG or a CPU decoder on AMD",
        paste="torchvision::io::decode_jpeg on the CPU, or rocJPEG",
    )
    for name, directive in includes(unit, _HEADER):
        yield at_include(unit, CODE, directive, f"NVIDIA only: ROCm has no {name}", fix)
    for i in missing_words(unit, _NAMES):
        yield unit.finding(CODE, i, detail=f"{unit.texts[i]} has no counterpart that hipify maps", fix=fix)
