"""AMD3203: __match_any_sync gets a 32-bit mask or its answer is kept in 32 bits."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..teams import team_votes
from ..unit import Unit
from ..votes import narrow_uses
from ..widths import bits

CODE = "AMD3203"
MATCHES = ("__match_any_sync", "__match_all_sync")


@rule(CODE, triggers=set(MATCHES))
def match_32bit(unit: Unit) -> Iterator[Finding]:
    for name in MATCHES:
        if not unit.has(name) or unit.provided(name):
            continue
        helper = team_votes(unit, name) if name == "__match_any_sync" else None
        fix = Fix("safe", "match the thread's own 32 lanes on AMD", helpers=helper) if helper else WAVES
        narrow = False
        for call in unit.calls(name):
            if len(call.args) >= 2 and bits(unit, *call.args[0]) == 32:
                narrow = True
                mask = unit.slice(*call.args[0])
                yield unit.finding(
                    CODE,
                    call.name,
                    call.args[0][1] - 1,
                    detail=f"the mask {mask} has 32 bits, and HIP's static_assert wants 64",
                    fix=fix,
                )
        for use in narrow_uses(unit, (name,)):
            if not (narrow and use.declaration):
                yield unit.finding(CODE, use.first, use.last, detail=use.detail, fix=fix, targets=("wave64",))


WAVES = Fix(
    "display",
    "keep the matches in 64 bits on AMD",
    paste="#ifdef __HIP_PLATFORM_AMD__\n  unsigned long long same = __match_any_sync(__activemask(), key);\n"
    "#else\n  unsigned same = __match_any_sync(0xffffffff, key);\n#endif",
)
