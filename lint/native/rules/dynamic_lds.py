"""AMD3225: a launch asks for more dynamic shared memory than a workgroup has."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..lexer import WORD
from ..unit import Unit

CODE = "AMD3225"
LIMIT = 65536
TARGETS = ("gfx908", "gfx90a", "gfx942", "rdna")


@rule(
    CODE,
    triggers={
        "cudaFuncSetAttribute",
        "cudaFuncAttributeMaxDynamicSharedMemorySize",
        "hipFuncSetAttribute",
        "__shared__",
        "1024",
        "MaxDynamicSharedMemorySize",
    },
)
def dynamic_lds(unit: Unit) -> Iterator[Finding]:
    reported: set[int] = set()

    def report(first: int, last: int, at_first: int, at_last: int, what: str) -> Iterator[Finding]:
        size = unit.initial(first, last)
        if size is None or not LIMIT < size <= 1 << 20:
            return
        names = [unit.texts[i] for i in range(first, last) if unit.tokens.kinds[i] == WORD]
        for name in names:
            for token, a, b in unit.constants.get(name, ()):
                if token not in reported and unit.value(a, b) == size:
                    reported.add(token)
                    yield unit.finding(
                        CODE,
                        token,
                        b - 1,
                        detail=f"{size} bytes, but a workgroup has {LIMIT} on every target except gfx950",
                        fix=FIX,
                        targets=TARGETS,
                    )
        yield unit.finding(
            CODE,
            at_first,
            at_last,
            detail=f"{what} {size} bytes; a workgroup has {LIMIT} on every target except gfx950",
            fix=FIX,
            targets=TARGETS,
        )

    for call in unit.calls("cudaFuncSetAttribute", "hipFuncSetAttribute"):
        if len(call.args) == 3 and any(
            "MaxDynamicSharedMemorySize" in t for t in unit.texts[call.args[1][0] : call.args[1][1]]
        ):
            yield from report(*call.args[2], call.name, call.close, "asks for")
    for launch in unit.launches:
        if len(launch.args) >= 3:
            yield from report(*launch.args[2], launch.name, launch.close, "launches with")


FIX = Fix(
    "display",
    "take the tile from the limit of the device",
    paste="int limit = 0;\ncudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);  // 65536 on AMD, 163840 on gfx950",
)
