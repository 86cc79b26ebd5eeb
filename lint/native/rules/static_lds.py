"""AMD3226: a static shared array is larger than the LDS of a workgroup."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..unit import Unit

CODE = "AMD3226"
LIMIT = 65536
_SIZES = {"float": 4, "int": 4, "unsigned": 4, "uint32_t": 4, "int32_t": 4, "double": 8, "half": 2, "__half": 2, "__half2": 4, "half2": 4, "float2": 8,
          "float4": 16, "int4": 16, "uint4": 16, "char": 1, "int8_t": 1, "uint8_t": 1, "bool": 1, "short": 2, "uint16_t": 2, "int16_t": 2,
          "__nv_bfloat16": 2, "nv_bfloat16": 2, "uint64_t": 8, "int64_t": 8, "size_t": 8}  # fmt: skip


@rule(CODE, triggers={"__shared__"})
def static_lds(unit: Unit) -> Iterator[Finding]:
    texts = unit.texts
    for i in unit.words("__shared__"):
        if texts[unit.previous(i)] == "extern" or unit.macro_at(i) is not None:
            continue
        j = unit.next(i)
        size = None
        while j < len(texts) and texts[j] not in ("[", ";", "=", "{", "("):
            size = _SIZES.get(texts[j], size)
            j = unit.next(j)
        if j >= len(texts) or texts[j] != "[" or size is None:
            continue
        total = size
        while texts[j] == "[" and j in unit.tokens.match:
            close = unit.tokens.match[j]
            count = unit.value(j + 1, close)
            total = total * count if count is not None and total else 0
            j = unit.next(close)
        if total > LIMIT:
            yield unit.finding(
                CODE,
                i,
                unit.previous(j),
                detail=f"{total} bytes of shared memory; a workgroup has {LIMIT} on every target except gfx950",
                fix=Fix(
                    "display",
                    "a smaller tile on AMD",
                    paste=f"{unit.if_amd}\nconstexpr int kTile = 64;\n#else\nconstexpr int kTile = 128;\n#endif",
                ),
                targets=("gfx908", "gfx90a", "gfx942", "rdna"),
            )
