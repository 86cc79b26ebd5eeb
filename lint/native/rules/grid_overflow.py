"""AMD3241: a grid from a 64-bit count, without a cap."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from ..functions import Function
from ..lexer import WORD
from ..unit import Unit
from ..widths import type_width

CODE = "AMD3241"
_CAPS = frozenset(
    {
        "min",
        "std::min",
        "clamp",
        "65535",
        "65536",
        "MAX_GRID",
        "kMaxGrid",
        "maxGridSize",
        "TORCH_CHECK",
        "fminf",
        "MIN",
    }
)


@rule(CODE, triggers={"int64_t", "size_t", "long", "uint64_t", "ptrdiff_t"})
def grid_overflow(unit: Unit) -> Iterator[Finding]:
    if unit.amd_native:
        return
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
        if "/" not in expression or any(
            t in _CAPS or "min" in t.lower() or "max" in t.lower() for t in expression
        ):
            continue
        counts = [k for k in range(declared[2] + 1, end) if unit.tokens.kinds[k] == WORD]
        if not any(_is_count(unit, k) for k in counts) or _checked(unit, name, declared[1], first):
            continue
        detail = f"{name} comes from a 64-bit count: grid times block must stay below 2^32 on HIP"
        kernels = unit.functions.by_name.get(texts[launch.name], [])
        edits = cap(unit, declared[2] + 1, end) + stride(unit, kernels[0]) if len(kernels) == 1 else []
        fix = (
            Fix("safe", "cap the grid and stride through the rest", tuple(edits))
            if len(edits) > 2
            else Fix("display", "cap the grid and stride through the rest", paste=_PASTE.format(name=name))
        )
        yield unit.finding(CODE, declared[1], end - 1, detail=detail, fix=fix)
        yield unit.finding(
            CODE, launch.name, launch.close, detail=f"launched with {name}, which nothing caps", fix=fix
        )


def cap(unit: Unit, first: int, end: int) -> list[Edit]:
    """At most 65535 blocks: enough to fill every GPU, and far from the limit."""
    start, stop = unit.tokens.starts[first], unit.tokens.end(end - 1)
    edits = [Edit(start, start, "std::min<int64_t>("), Edit(stop, stop, ", 65535)")]
    if not any(name == "algorithm" for name, _, _ in unit.pre.includes):
        heads = [d for _, _, d in unit.pre.includes if unit.pre.branch(d.start) is None]
        if not heads:
            return []
        edits.append(Edit(heads[0].start, heads[0].start, f"#include <algorithm>{unit.source.newline}"))
    return edits


def stride(unit: Unit, kernel: Function) -> list[Edit]:
    """``T i = ...; if (i < n) work`` as the whole of a kernel becomes a loop over the grid; else nothing."""
    texts, match = unit.texts, unit.tokens.match
    body = texts[kernel.body + 1 : kernel.end]
    if any(t in _NOT_IN_A_LOOP for t in body) or any(unit._in_directive[kernel.body : kernel.end]):
        return []
    semicolon = next((k for k in range(kernel.body, kernel.end) if texts[k] == ";"), kernel.end)
    declaration = texts[kernel.body + 1 : semicolon]
    if "=" not in declaration or not {"blockIdx", "blockDim", "threadIdx"} <= set(declaration):
        return []
    name = kernel.body + declaration.index("=")
    condition = unit.next(semicolon)
    opened = condition + 1
    if (
        texts[condition] != "if"
        or texts[opened] != "("
        or texts[opened + 1 : opened + 3] != [texts[name], "<"]
    ):
        return []
    close = match[opened]
    work = close + 1
    last = (
        match.get(work, -1)
        if texts[work] == "{"
        else next(k for k in range(work, kernel.end) if texts[k] == ";")
    )
    if last + 1 != kernel.end or "else" in body or any(t in ("&&", "||") for t in texts[opened:close]):
        return []
    kind = unit.slice(kernel.body + 1, name).removeprefix("const ").strip()
    if "const" in kind or type_width(unit, kernel.body + 1, name) != 64:
        return []
    test = unit.slice(opened + 1, close)
    step = f"({kind})gridDim.x * blockDim.x"
    start = unit.tokens.starts[kernel.body + 1]
    constant = texts[kernel.body + 1] == "const"
    first = unit.tokens.starts[kernel.body + 2] if constant else start
    return [
        Edit(start, first, "for ("),
        Edit(unit.tokens.end(semicolon), unit.tokens.end(close), f" {test}; {texts[name]} += {step})"),
    ]


_NOT_IN_A_LOOP = frozenset(
    [
        "return",
        "break",
        "continue",
        "goto",
        "for",
        "while",
        "do",
        "__syncthreads",
        "__shared__",
        "__syncwarp",
        "asm",
        "__shfl_sync",
        "__shfl_down_sync",
        "__shfl_xor_sync",
        "__shfl_up_sync",
        "__ballot_sync",
        "__any_sync",
        "__all_sync",
    ]
)


def _is_count(unit: Unit, k: int) -> bool:
    declared = unit.declared(unit.texts[k], k)
    return (
        declared is not None
        and type_width(unit, declared[0], declared[1]) == 64
        and "*" not in unit.texts[declared[0] : declared[1]]
    )


def _checked(unit: Unit, name: str, first: int, last: int) -> bool:
    """Whether the value is looked at (compared, reduced) between its declaration and the launch."""
    return sum(1 for i in unit.tokens.words[name] if first < i < last) > 0


_PASTE = """\
const int64_t {name} = std::min<int64_t>((n + 255) / 256, 65535);
// in the kernel:
for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x)"""
