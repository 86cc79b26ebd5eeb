"""AMD3208: a mask is passed to HIP's unmasked shuffle, which takes it for the value."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from ..lanes import is_full
from ..unit import Call, Unit

CODE = "AMD3208"
SHUFFLES = ("__shfl", "__shfl_up", "__shfl_down", "__shfl_xor")


@rule(CODE, triggers=set(SHUFFLES))
def shuffle_gets_mask(unit: Unit) -> Iterator[Finding]:
    for call in unit.calls(*SHUFFLES):
        if unit.provided(unit.texts[call.name]) or len(call.args) < 3 or not _is_mask(unit, call):
            continue
        name = unit.texts[call.name]
        mask, value = unit.slice(*call.args[0]), unit.slice(*call.args[1])
        start = unit.tokens.starts[call.args[0][0]]
        end = unit.tokens.starts[call.args[1][0]]
        yield unit.finding(
            CODE,
            call.name,
            call.close,
            detail=f"{name} has no mask: it shuffles {mask}, and {value} becomes the lane",
            fix=Fix("safe", "drop the mask", (Edit(start, end, ""),)),
        )


def _is_mask(unit: Unit, call: Call) -> bool:
    first, last = call.args[0]
    if is_full(unit, call):
        return True
    return (
        last == first + 1
        and re.fullmatch(r"(?:\w*_)?(?:full_?)?mask", unit.texts[first], re.IGNORECASE) is not None
        and len(call.args) == 4
    )
