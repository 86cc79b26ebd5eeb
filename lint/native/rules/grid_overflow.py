"""AMD3241: a grid from a 64-bit count, without a cap."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..lexer import WORD
from ..unit import Unit
from ..widths import type_width

CODE = "AMD3241"
_CAPS = frozenset({"min", "std::min", "clamp", "65535", "65536", "MAX_GRID", "kMaxGrid", "maxGridSize", "TORCH_CHECK", "fminf", "MIN"})


@rule(CODE, triggers={"int64_t", "size_t", "long", "uint64_t", "ptrdiff_t"})
def grid_overflow(unit: Unit) -> Iterator[Finding]:
    texts = unit.texts
    for launch in unit.launches:
        if not launch.args:
            continue
        first, last = launch.args[0]
        if texts[first] == "dim3" and texts[first + 1] == "(" and (first + 1) in unit.tokens.match:
            first, last = unit.arguments(first + 1)[0]
        if last != first + 1 or unit.tokens.kinds[first] != WORD:
            continue
        name = texts[first]
        declared = unit.declared(name, first)
        if declared is None or texts[declared[2]] != "=" or type_width(unit, declared[0], declared[1]) != 64:
            continue
        end = declared[2]
        while texts[end] != ";":
            end += 1
        expression = texts[declared[2] + 1 : end]
        if "/" not in expression or any(t in _CAPS or "min" in t.lower() or "max" in t.lower() for t in expression):
            continue
        counts = [k for k in range(declared[2] + 1, end) if unit.tokens.kinds[k] == WORD]
        if not any(_is_count(unit, k) for k in counts) or _checked(unit, name, declared[1], first):
            continue
        kernel = unit.functions.by_name.get(texts[launch.name], [])
        detail = f"{name} comes from a 64-bit count: grid times block must stay below 2^32 on HIP"
        fix = Fix("display", "cap the grid and stride through the rest", paste=_PASTE.format(name=name)) if kernel or True else None
        yield unit.finding(CODE, declared[1], end - 1, detail=detail, fix=fix)
        yield unit.finding(CODE, launch.name, launch.close, detail=f"launched with {name}, which nothing caps", fix=fix)


def _is_count(unit: Unit, k: int) -> bool:
    declared = unit.declared(unit.texts[k], k)
    return declared is not None and type_width(unit, declared[0], declared[1]) == 64 and "*" not in unit.texts[declared[0] : declared[1]]


def _checked(unit: Unit, name: str, first: int, last: int) -> bool:
    """Whether the value is looked at (compared, reduced) between its declaration and the launch."""
    return sum(1 for i in unit.tokens.words[name] if first < i < last) > 0


_PASTE = """\
const int64_t {name} = std::min<int64_t>((n + 255) / 256, 65535);
// in the kernel:
for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x)"""
