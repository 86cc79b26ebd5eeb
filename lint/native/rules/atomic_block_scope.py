"""AMD3231: atomics of block scope."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..names import missing_calls
from ..unit import Unit

CODE = "AMD3231"
NAMES = tuple(
    f"atomic{op}_block"
    for op in ("Add", "Sub", "Exch", "Min", "Max", "Inc", "Dec", "CAS", "And", "Or", "Xor")
)


@rule(CODE, triggers=set(NAMES))
def atomic_block_scope(unit: Unit) -> Iterator[Finding]:
    for name, call in missing_calls(unit, NAMES):
        plain = name.removesuffix("_block")
        fix = Fix("safe", f"{plain} on AMD", helpers=(f"{name}={plain}",))
        yield unit.finding(
            CODE, call.name, call.close, detail=f"HIP has {plain} and {plain}_system, but no {name}", fix=fix
        )
