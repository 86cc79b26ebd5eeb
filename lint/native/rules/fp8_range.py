"""AMD5201: 448 as the largest fp8 value beside a FNUZ type."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..lexer import NUMBER
from ..rewrite import alternatives
from ..unit import Unit

CODE = "AMD5201"
_FNUZ = frozenset(
    {
        "__hip_fp8_e4m3_fnuz",
        "Float8_e4m3fnuz",
        "kFloat8_e4m3fnuz",
        "hip_fp8_e4m3_fnuz",
        "__hip_fp8x2_e4m3_fnuz",
        "__hip_fp8x4_e4m3_fnuz",
    }
)


@rule(CODE, triggers=set(_FNUZ))
def fp8_range(unit: Unit) -> Iterator[Finding]:
    fnuz = [n for n in unit.tokens.words if n in _FNUZ]
    if not any(True for _ in unit.words(*fnuz)):
        return
    for i, t in enumerate(unit.texts):
        if (
            unit.tokens.kinds[i] != NUMBER
            or t.rstrip("fF").rstrip("0").rstrip(".") not in ("448",)
            or not unit.live(i)
        ):
            continue
        yield unit.finding(
            CODE,
            i,
            detail="the FNUZ format of MI300 ends at 240; values up to 448 saturate",
            fix=_smaller(unit, i),
            targets=("gfx942",),
        )


def _smaller(unit: Unit, i: int) -> Fix:
    """240 on AMD, 448 elsewhere: for a constant of its own line."""
    replacement = unit.texts[i].replace("448", "240")
    if unit.amd_only(i):
        return Fix("safe", "the largest FNUZ value", (unit.edit(i, i, replacement),))
    first, last = i, i
    while first > 0 and unit.texts[first - 1] not in (";", "{", "}") and not unit._in_directive[first - 1]:
        first -= 1
    while last < len(unit.texts) and unit.texts[last] not in (";", "{", "}"):
        last += 1
    if (
        last < len(unit.texts)
        and unit.texts[last] == ";"
        and "\n" not in unit.slice(first, last)
        and unit.macro_at(i) is None
    ):
        statement = f"{unit.slice(first, i)}{_gap(unit, i - 1)}{replacement}{unit.slice(i + 1, last + 1)}"
        edits = alternatives(unit, first, last, [statement])
        if edits:
            return Fix("safe", "240 with the FNUZ type, 448 with the OCP type", edits)
    return Fix(
        "display",
        "240 with the FNUZ type",
        paste=f"{unit.if_amd}\nconstexpr float kFp8Max = 240.f;\n#else\nconstexpr float kFp8Max = 448.f;\n#endif",
    )


def _gap(unit: Unit, i: int) -> str:
    return unit.source.text(unit.tokens.end(i), unit.tokens.starts[i + 1])
