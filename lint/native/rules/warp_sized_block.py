"""AMD3213: blocks of 32 threads leave half of every 64-lane wave idle."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..lanes import WAVE64
from ..unit import Unit

CODE = "AMD3213"


@rule(CODE, triggers={"32", "WARP_SIZE", "kWarpSize", "kWarp", "WARPSIZE", "dim3"})
def warp_sized_block(unit: Unit) -> Iterator[Finding]:
    if unit.ported:
        return  # the size was chosen with AMD in mind
    for launch in unit.launches:
        if len(launch.args) < 2 or unit.amd_only(launch.open):
            continue
        first, last = launch.args[1]
        if threads(unit, first, last) != 32:
            continue
        yield unit.finding(
            CODE,
            launch.name,
            last - 1,
            detail=f"{unit.slice(first, last)} threads a block: on a 64-lane wave every second lane is idle",
            fix=Fix(
                "display",
                "take the block size from the device",
                paste="int warp = 0;\ncudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);\nkernel<<<rows, warp, 0, stream>>>(...);",
            ),
            targets=WAVE64,
        )


def threads(unit: Unit, first: int, last: int) -> int | None:
    """Threads of a block given as a number, a ``dim3(...)`` or a ``dim3`` variable of constants."""
    texts = unit.texts
    if texts[first] == "dim3" and first + 1 < last:
        call = unit.tokens.match.get(first + 1)
        return _product(unit, first + 1) if call is not None else None
    if last == first + 1:
        declared = unit.declared(texts[first], first)
        if declared is not None:
            if texts[declared[0] : declared[1]][-1:] == ["dim3"] and texts[declared[2]] in ("(", "{"):
                return _product(unit, declared[2])
            if texts[declared[0] : declared[1]][-1:] == ["dim3"]:
                return None
    return unit.value(first, last)


def _product(unit: Unit, opened: int) -> int | None:
    total = 1
    for a, b in unit.arguments(opened):
        value = unit.value(a, b)
        if value is None:
            return None
        total *= value
    return total
