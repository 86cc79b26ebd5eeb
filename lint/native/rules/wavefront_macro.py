"""AMD3217: the __AMDGCN_WAVEFRONT_SIZE macros are deprecated and mean nothing on the host."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from ..unit import Unit

CODE = "AMD3217"
MACROS = ("__AMDGCN_WAVEFRONT_SIZE__", "__AMDGCN_WAVEFRONT_SIZE")


@rule(CODE, triggers=set(MACROS))
def wavefront_macro(unit: Unit) -> Iterator[Finding]:
    if any(unit.pre.macros.get(m) for m in MACROS):
        return
    for d in unit.tokens.directives:
        if (
            d.name in ("if", "elif")
            and any(t in MACROS for t in unit.texts[d.first : d.last])
            and unit.pre.live(d.start) is not False
            and not _asked_for(unit, d.start + 1)
        ):
            i = next(k for k in range(d.first, d.last) if unit.texts[k] in MACROS)
            if "defined" in unit.texts[max(d.first, i - 2) : i]:
                continue  # asks first whether there is such a macro
            yield unit.finding(
                CODE,
                i,
                detail=_detail(unit, i),
                fix=Fix("display", "select by target", paste="#if defined(__GFX9__)"),
            )
    for i in unit.words(*MACROS):
        if _asked_for(unit, unit.tokens.starts[i]):
            continue
        macro = unit.macro_at(i)
        fix = Fix(
            "display",
            "select by target",
            paste="#if defined(__GFX9__)\nconstexpr int kWaveSize = 64;\n#else\nconstexpr int kWaveSize = 32;\n#endif",
        )
        if macro is not None and macro.params is None and macro.last == macro.first + 1:
            fix = by_target(unit, macro.name, macro.directive.start, macro.directive.end)
        yield unit.finding(CODE, macro.directive.token if macro else i, i, detail=_detail(unit, i), fix=fix)


def _asked_for(unit: Unit, offset: int) -> bool:
    """Whether the place is behind ``#if defined(__AMDGCN_WAVEFRONT_SIZE__)``, beside branches for the targets."""
    branch = unit.pre.branch(offset)
    while branch is not None:
        openers = [unit.texts[b.opener.first : b.opener.last] for b in branch.conditional.branches]
        own = unit.texts[branch.opener.first : branch.opener.last]
        defined = branch.opener.name in ("ifdef", "elifdef") or "defined" in own
        if defined and any(m in own for m in MACROS):
            return any(
                re.match(r"__(?:gfx|GFX)\w+__", t) for texts in openers if texts is not own for t in texts
            )
        branch = branch.parent
    return False


def by_target(unit: Unit, name: str, start: int, end: int) -> Fix:
    """The compiler's own target macro: gfx9 has waves of 64 lanes, gfx10 and later of 32."""
    newline = unit.source.newline
    data = unit.source.data
    while end > start and data[end - 1 : end] in (b"\n", b"\r"):
        end -= 1
    text = newline.join(
        ["#if defined(__GFX9__)", f"#define {name} 64", "#else", f"#define {name} 32", "#endif"]
    )
    return Fix("safe", "select by target", (Edit(start, end, text),))


def _detail(unit: Unit, i: int) -> str:
    return f"{unit.texts[i]} is deprecated since ROCm 6.4 and has no meaning in the host pass"
