"""AMD6200: cuBLAS names that torch hipify does not map."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..names import mapping, missing_words
from ..unit import Unit

CODE = "AMD6200"
UNMAPPED = ("CUBLAS_COMPUTE_32F_FAST_16BF", "CUBLAS_COMPUTE_32F_FAST_16F", "CUBLAS_COMPUTE_16F", "CUBLAS_COMPUTE_32F_PEDANTIC", "CUBLAS_COMPUTE_16F_PEDANTIC",
            "CUBLAS_COMPUTE_32I_PEDANTIC", "CUBLAS_COMPUTE_64F_PEDANTIC")  # fmt: skip


@rule(CODE, triggers=set(UNMAPPED))
def cublas_unmapped(unit: Unit) -> Iterator[Finding]:
    for i in missing_words(unit, re.compile("|".join(UNMAPPED))):
        name = unit.texts[i]
        pair = mapping(name)
        fix = (
            Fix("safe", "hipBLAS's name on AMD", helpers=(pair,))
            if pair
            else Fix("display", "compute in float", paste="CUBLAS_COMPUTE_32F")
        )
        yield unit.finding(CODE, i, detail=f"torch hipify maps CUBLAS_COMPUTE_32F, but not {name}", fix=fix)
