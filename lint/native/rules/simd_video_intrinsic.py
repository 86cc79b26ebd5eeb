"""AMD3238: SIMD video intrinsics and integer dot products."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..names import missing_calls
from ..rewrite import pieces
from ..unit import Unit

CODE = "AMD3238"
_NAMES = re.compile(
    r"__v(?:abs|absdiff|absss|add|avg|cmp|haddu?|max|min|neg|negss|sad|set|sub)[a-z]*[24]|__dp[24]a(?:_lo|_hi)?"
)
_COMMON = {f"__v{op}{n}" for op in ("add", "sub", "addss", "subss", "addus", "subus", "maxs", "mins", "maxu", "minu", "cmpeq", "cmpne", "cmpgts", "cmpgtu",
           "abs", "absdiffu", "absdiffs", "avgu", "avgs", "neg", "sads", "sadu", "seteq", "setne", "cmpges", "cmpgeu", "cmplts", "cmpltu", "cmples", "cmpleu",
           "absss", "negss", "haddu", "setgts", "setgtu") for n in (2, 4)} | {"__dp4a", "__dp2a_lo", "__dp2a_hi"}  # fmt: skip


@rule(CODE, triggers=_COMMON)
def simd_video_intrinsic(unit: Unit) -> Iterator[Finding]:
    names = [n for n in unit.tokens.words if _NAMES.fullmatch(n)]
    for name, call in missing_calls(unit, names):
        fix = (
            Fix("safe", "the same on four bytes in C++ on AMD", helpers=(name,))
            if name in pieces()
            else Fix(
                "display",
                "write it with shifts on AMD",
                paste="for (int s = 0; s < 32; s += 8) { /* one byte: (x >> s) & 0xff */ }",
            )
        )
        yield unit.finding(CODE, call.name, call.close, detail=f"HIP has no {name}", fix=fix)
