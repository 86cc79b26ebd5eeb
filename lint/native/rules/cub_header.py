"""AMD6202: cub sub-headers that torch hipify does not map."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from ..names import at_include, includes
from ..unit import Unit

CODE = "AMD6202"
MAPPED = frozenset(
    [
        "cub/cub.cuh",
        "cub/config.cuh",
        "cub/util_allocator.cuh",
        "cub/util_ptx.cuh",
        "cub/util_type.cuh",
        "cub/block/block_reduce.cuh",
        "cub/block/block_raking_layout.cuh",
        "cub/block/block_load.cuh",
        "cub/block/block_store.cuh",
        "cub/block/block_scan.cuh",
        "cub/device/device_run_length_encode.cuh",
        "cub/device/device_radix_sort.cuh",
        "cub/device/device_reduce.cuh",
        "cub/device/device_scan.cuh",
        "cub/device/device_select.cuh",
    ]
)


@rule(CODE, triggers={"cub"})
def cub_header(unit: Unit) -> Iterator[Finding]:
    if unit.build in ("nvcc", "hip"):
        return
    whole = any(
        name == "cub/cub.cuh" for name, _, d in unit.pre.includes if unit.pre.live(d.start) is not False
    )
    for name, directive in includes(unit, re.compile(r"cub/.+\.cuh")):
        if name in MAPPED:
            continue
        start, end = unit.tokens.starts[directive.first], directive.end
        while end > start and unit.source.data[end - 1 : end] in (b"\n", b"\r", b" "):
            end -= 1
        line_end = directive.end
        edit = Edit(start, end, "<cub/cub.cuh>")
        if whole:  # already included: the line is not needed
            edit = Edit(unit.tokens.starts[directive.token], line_end, "")
        whole = True
        fix = Fix("safe", "the header that hipify maps", (edit,))
        yield at_include(unit, CODE, directive, f"hipify does not map <{name}> to hipcub", fix)
