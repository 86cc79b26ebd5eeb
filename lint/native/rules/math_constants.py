"""AMD2208: <math_constants.h> and CUDART_INF_F."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..names import at_include, includes, missing_words
from ..rewrite import skip_include
from ..unit import Unit

CODE = "AMD2208"
_CONSTANT = re.compile(r"CUDART_(?:[A-Z0-9]+_)*[A-Z0-9]+")
_NOT = re.compile(r"CUDART_(?:VERSION|CB|DEVICE|HOST\w*|TWO_TO_\w+)")


@rule(
    CODE,
    triggers={
        "math_constants",
        "CUDART_INF_F",
        "CUDART_INF",
        "CUDART_NAN_F",
        "CUDART_NAN",
        "CUDART_PI_F",
        "CUDART_PI",
        "CUDART_MAX_NORMAL_F",
    },
)
def math_constants(unit: Unit) -> Iterator[Finding]:
    names = sorted(
        n
        for n in unit.tokens.words
        if _CONSTANT.fullmatch(n) and not _NOT.fullmatch(n) and not unit.provided(n)
    )
    helpers = ("math_constants", *(f"{n}=HIP_{n.removeprefix('CUDART_')}" for n in names))
    for _, directive in includes(unit, re.compile(r"math_constants\.h")):
        fix = Fix(
            "safe", "HIP's constants on AMD", skip_include(unit, directive), helpers=helpers if names else ()
        )
        yield at_include(
            unit, CODE, directive, "ROCm has no math_constants.h, and hipify does not map it", fix
        )
    for i in missing_words(unit, re.compile("|".join(names)) if names else re.compile(r"(?!)")):
        name = unit.texts[i]
        yield unit.finding(
            CODE,
            i,
            detail=f"hipify does not map {name}",
            fix=Fix("safe", "HIP's constants on AMD", helpers=helpers),
        )
