"""AMD3216: warpSize in host code."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from ..unit import Unit

CODE = "AMD3216"


@rule(CODE, triggers={"warpSize"})
def warp_size_host(unit: Unit) -> Iterator[Finding]:
    if unit.provided("warpSize"):
        return
    for i in unit.words("warpSize"):
        if unit.is_member(i) or not unit.in_host(i) or unit.declared("warpSize", i) is not None:
            continue
        function = unit.function(i)
        if function is None or "constexpr" in unit.texts[function.start : function.params]:
            continue  # may be called from device code
        yield unit.finding(
            CODE, i, detail=f"{function.name} runs on the host, where HIP has no warpSize", fix=query(unit, i)
        )


def query(unit: Unit, i: int) -> Fix:
    """Ask the device; the builtin is a plain 32 in NVIDIA host code as well."""
    if any("ATen/" in name or "torch/" in name for name, _, _ in unit.pre.includes):
        return Fix(
            "safe",
            "ask ATen for the wave size",
            (unit.edit(i, i, "at::cuda::warp_size()"), *_include(unit, "ATen/cuda/CUDAContext.h")),
        )
    function = unit.function(i)
    assert function is not None
    uses = [
        k for k in unit.tokens.words["warpSize"] if function.body < k < function.end and not unit.is_member(k)
    ]
    brace = unit.tokens.end(function.body)
    newline = unit.source.newline
    indent = _indent(unit, uses[0]) if uses else ""
    lines = [
        "",
        "int device = 0, warp_size = 32;",
        "cudaGetDevice(&device);",
        "cudaDeviceGetAttribute(&warp_size, cudaDevAttrWarpSize, device);",
    ]
    names = {"device", "warp_size"} & {unit.texts[k] for k in range(function.start, function.end)}
    if names or not uses:  # no use: it stands in the initialisers of a constructor
        return Fix("display", "ask the device for its wave size", paste="\n".join(lines[1:]))
    text = f"{newline}{indent}".join(lines)
    return Fix(
        "safe",
        "ask the device for its wave size",
        (Edit(brace, brace, text), *(unit.edit(k, k, "warp_size") for k in uses)),
    )


def _indent(unit: Unit, i: int) -> str:
    line = unit.source.line(unit.source.position(unit.tokens.starts[i])[0])
    return line[: len(line) - len(line.lstrip())]


def _include(unit: Unit, header: str) -> tuple[Edit, ...]:
    if any(name == header for name, _, _ in unit.pre.includes):
        return ()
    _, _, directive = unit.pre.includes[-1]
    return (Edit(directive.end, directive.end, f"{unit.source.newline}#include <{header}>"),)
