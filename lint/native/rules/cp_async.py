"""AMD3223: asynchronous copies to shared memory (cuda_pipeline.h, cp.async)."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..ptx import Asm, statements
from ..rewrite import alternatives, skip_include
from ..unit import Unit

CODE = "AMD3223"
PRIMITIVES = ("__pipeline_memcpy_async", "__pipeline_commit", "__pipeline_wait_prior", "__pipeline_arrive_on")
HEADERS = ("cuda_pipeline.h", "cuda_pipeline_primitives.h")


@rule(
    CODE,
    triggers={*PRIMITIVES, "cuda_pipeline", "cuda_pipeline_primitives", "asm", "__asm__", "cuda_awbarrier"},
)
def cp_async(unit: Unit) -> Iterator[Finding]:
    used = [n for n in PRIMITIVES if unit.has(n) and not unit.provided(n)]
    pipelines = unit.has("make_pipeline", "memcpy_async")
    for name, _, directive in unit.pre.includes:
        if name in (*HEADERS, "cuda_awbarrier.h") and unit.pre.live(directive.start) is not False:
            edits = skip_include(unit, directive)
            fix = (
                Fix(
                    "display",
                    "leave the header to NVIDIA",
                    paste=f"{unit.if_not_amd}\n#include <{name}>\n#endif",
                )
                if pipelines
                else Fix("safe", "plain copies on AMD", edits, helpers=tuple(used))
            )
            yield unit.finding(
                CODE, directive.token, directive.last - 1, detail=f"ROCm has no {name}", fix=fix
            )
    for name in used:
        for call in unit.calls(name):
            helper = (
                Fix("safe", "plain copies on AMD", helpers=(name,))
                if name != "__pipeline_arrive_on"
                else None
            )
            yield unit.finding(
                CODE, call.name, call.close, detail=f"{name} has no HIP counterpart", fix=helper
            )
    for asm in statements(unit):
        if "cp.async" in asm.code and not unit.amd_only(asm.first):
            yield unit.finding(
                CODE,
                asm.first,
                asm.close,
                detail="cp.async is PTX; AMD copies through registers",
                fix=_plain(unit, asm),
            )


def _plain(unit: Unit, asm: Asm) -> Fix:
    """Waiting for copies that are never asynchronous needs nothing; a copy needs the generic address."""
    code = asm.code.strip()
    end = unit.next(asm.close)
    if (
        code.startswith(("cp.async.commit_group", "cp.async.wait_group", "cp.async.wait_all"))
        and unit.texts[end] == ";"
    ):
        edits = alternatives(unit, asm.first, end, ["// copies are done when they return on AMD"])
        if edits:
            return Fix("safe", "nothing to wait for on AMD", edits)
    return Fix(
        "display",
        "copy through registers on AMD",
        paste=f"{unit.if_amd}\n  *reinterpret_cast<float4*>(dst) = *reinterpret_cast<const float4*>(src);  // dst: the generic pointer\n#else\n  asm volatile(...);\n#endif",
    )
