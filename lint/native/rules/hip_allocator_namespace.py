"""AMD2202: c10::hip names that torch no longer has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from ..unit import Unit

CODE = "AMD2202"
_NAMES = {"HIPCachingAllocator": "CUDACachingAllocator"}
_HEADER = re.compile(r"(?:c10|ATen)/hip/(?:impl/)?(\w+)\.h")


@rule(CODE, triggers=set(_NAMES))
def hip_allocator_namespace(unit: Unit) -> Iterator[Finding]:
    if "TORCH_VERSION_MAJOR" in unit.tokens.words or "TORCH_VERSION" in unit.tokens.text:
        return  # picks by version itself
    texts = unit.texts
    for i in unit.words(*_NAMES):
        if texts[i - 1] != "::":
            continue
        edits = [unit.edit(i, i, _NAMES[texts[i]])]
        if texts[i - 2] == "hip":
            edits.append(unit.edit(i - 2, i - 2, "cuda"))
        headers = _headers(unit)
        fix = Fix("safe", "the c10::cuda name, which every torch keeps or maps", (*edits, *headers))
        yield unit.finding(
            CODE,
            i - 2,
            i,
            detail=f"{unit.slice(i - 2, i + 1)} is gone from torch 2.11 on (hipify 2.0)",
            fix=fix,
        )


def _headers(unit: Unit) -> tuple[Edit, ...]:
    edits = []
    for name, angle, directive in unit.pre.includes:
        m = _HEADER.fullmatch(name)
        stem = _NAMES.get(m.group(1)) if m else None
        if stem and unit.pre.live(directive.start) is not False:
            folder = "c10/cuda"
            first = directive.first
            start = unit.tokens.starts[first]
            end = directive.end
            while end > start and unit.source.data[end - 1 : end] in (b"\n", b"\r", b" "):
                end -= 1
            edits.append(Edit(start, end, f"<{folder}/{stem}.h>" if angle else f'"{folder}/{stem}.h"'))
    return tuple(edits)
