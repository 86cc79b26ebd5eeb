"""AMD2214: a test of __CUDACC__, which only nvcc and clang's CUDA mode define."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from ..lexer import Directive
from ..preprocess import means_amd
from ..unit import Unit

CODE = "AMD2214"


@rule(CODE, triggers={"__CUDACC__"})
def cudacc_test(unit: Unit) -> Iterator[Finding]:
    if unit.build != "nvcc" or unit.provided("__CUDACC__"):
        return  # hipify writes __HIPCC__ in its place
    for d in unit.tokens.directives:
        words = unit.texts[d.first : d.last]
        if d.name not in ("if", "ifdef", "ifndef", "elif") or "__CUDACC__" not in words:
            continue
        if any(means_amd(w) for w in words) or unit.pre.live(d.start) is False:
            continue
        edits = _both(unit, d, words)
        fix = (
            Fix("safe", "ask for hipcc as well", edits)
            if edits
            else Fix(
                "display", "ask for hipcc as well", paste="#if defined(__CUDACC__) || defined(__HIPCC__)"
            )
        )
        detail = "hipcc does not define __CUDACC__, so AMD builds take the side for host compilers"
        yield unit.finding(CODE, d.token, d.last - 1, detail=detail, fix=fix)


def _both(unit: Unit, d: Directive, words: list[str]) -> tuple[Edit, ...]:
    """The condition with ``__HIPCC__`` beside every ``__CUDACC__``."""
    if d.name in ("ifdef", "ifndef"):
        start, end = unit.tokens.starts[d.token], unit.tokens.end(d.last - 1)
        text = (
            "#if defined(__CUDACC__) || defined(__HIPCC__)"
            if d.name == "ifdef"
            else "#if !defined(__CUDACC__) && !defined(__HIPCC__)"
        )
        return (Edit(start, end, text),) if len(words) == 1 else ()
    edits = []
    alone = [w for w in words if w not in ("(", ")")] == ["defined", "__CUDACC__"]
    for k, word in enumerate(words):
        if word != "__CUDACC__":
            continue
        i = d.first + k
        bracket = unit.texts[i - 1] == "("
        name = i - 2 if bracket else i - 1
        if unit.texts[name] != "defined" or (bracket and unit.texts[i + 1] != ")"):
            return ()
        text = "defined(__CUDACC__) || defined(__HIPCC__)"
        start, end = unit.tokens.starts[name], unit.tokens.end(i + 1 if bracket else i)
        edits.append(Edit(start, end, text if alone else f"({text})"))
    return tuple(edits)
