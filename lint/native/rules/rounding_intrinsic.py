"""AMD3239: intrinsics with a directed rounding mode."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..names import missing_calls
from ..unit import Unit

CODE = "AMD3239"
_NAMES = re.compile(
    r"(__f(?:add|sub|mul|div|sqrt|rcp|maf)|__d(?:add|sub|mul|div|sqrt|rcp)|__fma)_(?:rz|ru|rd)"
)
_ALL = {f"{base}_{mode}" for base in ("__fadd", "__fsub", "__fmul", "__fdiv", "__fsqrt", "__frcp", "__fmaf", "__dadd", "__dsub", "__dmul", "__ddiv", "__dsqrt",
        "__drcp", "__fma") for mode in ("rz", "ru", "rd")}  # fmt: skip


@rule(CODE, triggers=_ALL)
def rounding_intrinsic(unit: Unit) -> Iterator[Finding]:
    for name, call in missing_calls(unit, [n for n in unit.tokens.words if _NAMES.fullmatch(n)]):
        nearest = f"{name[:-3]}_rn"
        fix = Fix(
            "unsafe",
            f"{nearest} on AMD",
            helpers=(f"{name}={nearest}",),
            reason="AMD then rounds to nearest: results differ in the last bit from NVIDIA's",
        )
        yield unit.finding(
            CODE, call.name, call.close, detail=f"HIP declares only the _rn form, not {name}", fix=fix
        )
