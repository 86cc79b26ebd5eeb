"""AMD3240: braces with commas in a launch that hipify turns into a macro."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..unit import Unit

CODE = "AMD3240"


@rule(CODE, triggers={"dim3"})
def brace_launch(unit: Unit) -> Iterator[Finding]:
    if unit.amd_native:
        return
    if unit.build in ("nvcc", "hip"):
        return  # clang itself reads braces well
    texts = unit.texts
    for launch in unit.launches:
        for first, last in launch.args:
            for i in range(first, last):
                if (
                    texts[i] != "{"
                    or i not in unit.tokens.match
                    or "," not in texts[i : unit.tokens.match[i]]
                ):
                    continue
                if _parenthesised(unit, first, i):
                    continue
                close = unit.tokens.match[i]
                named = texts[i - 1] == "dim3"
                edits = (unit.edit(i, i, "(" if named else "dim3("), unit.edit(close, close, ")"))
                plain = named or i == first
                fix = (
                    Fix("safe", "parentheses instead of braces", edits)
                    if plain
                    else Fix("display", "build the dim3 before the launch", paste="dim3 grid(w, h);")
                )
                yield unit.finding(
                    CODE,
                    launch.name,
                    launch.close,
                    detail="hipify makes this launch a macro, and the commas in braces split its arguments",
                    fix=fix,
                )
                break


def _parenthesised(unit: Unit, first: int, i: int) -> bool:
    """Commas inside round brackets do not split macro arguments."""
    return any(unit.texts[k] == "(" and unit.tokens.match.get(k, 0) > i for k in range(first, i))
