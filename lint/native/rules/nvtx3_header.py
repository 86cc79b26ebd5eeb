"""AMD2204: <nvtx3/nvToolsExt.h>."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..names import at_include, includes, missing_calls
from ..rewrite import skip_include, skip_statement
from ..unit import Unit

CODE = "AMD2204"


# They give streams and events a name for NVIDIA's profiler.
NAMING = tuple(f"nvtxName{kind}{suffix}" for kind in ("CudaStream", "CudaEvent", "CudaDevice", "CuStream", "CuEvent", "CuDevice", "CuContext") for suffix in ("A", "W"))  # fmt: skip


@rule(CODE, triggers={"nvtx3", *NAMING})
def nvtx3_header(unit: Unit) -> Iterator[Finding]:
    for name, call in missing_calls(unit, NAMING):
        alone = unit.texts[call.name - 1] in (";", "{", "}")
        edits = skip_statement(unit, call.name) if alone else None
        fix = (
            Fix("safe", "no names for the profiler on AMD", edits)
            if edits
            else Fix(
                "display", "leave the name out on AMD", paste=f"{unit.if_not_amd}\n  {name}(...);\n#endif"
            )
        )
        yield unit.finding(CODE, call.name, call.close, detail=f"roctx has no {name}", fix=fix)
    for name, directive in includes(unit, re.compile(r"nvtx3/(?:nvToolsExt\w*\.h|nvtx3\.hpp)")):
        plain = name == "nvtx3/nvToolsExt.h" and not unit.has(
            "nvtxEventAttributes_t", "nvtxDomainHandle_t", "nvtxRangePushEx"
        )
        if name in ("nvtx3/nvToolsExtCudaRt.h", "nvtx3/nvToolsExtCuda.h"):
            # the header only adds names for CUDA objects
            fix = Fix("safe", "not needed on AMD", skip_include(unit, directive))
            yield at_include(unit, CODE, directive, f"ROCm has no {name}", fix)
            continue
        fix = (
            Fix(
                "safe",
                "roctx on AMD",
                skip_include(unit, directive, ["#include <roctracer/roctx.h>", *_defines(unit)]),
            )
            if plain
            else Fix(
                "display",
                "roctx on AMD",
                paste=f"{unit.if_amd}\n#include <roctracer/roctx.h>\n#else\n#include <{name}>\n#endif",
            )
        )
        yield at_include(
            unit,
            CODE,
            directive,
            f"ROCm has no {name}; hipify makes it <nvtx3/roctracer/roctx.h>, which does not exist",
            fix,
        )


def _defines(unit: Unit) -> list[str]:
    """Names that no hipify translates: NVTX's own macros, and in nvcc builds all of them."""
    names = {"nvtxRangePush": "roctxRangePush", "nvtxMark": "roctxMark", "nvtxRangeStart": "roctxRangeStart"}
    if unit.build == "nvcc":
        names |= {"nvtxRangePushA": "roctxRangePushA", "nvtxRangePop": "roctxRangePop", "nvtxMarkA": "roctxMarkA",
                  "nvtxRangeStartA": "roctxRangeStartA", "nvtxRangeEnd": "roctxRangeStop", "nvtxRangeId_t": "roctx_range_id_t"}  # fmt: skip
    return [f"#define {cuda} {amd}" for cuda, amd in names.items() if unit.has(cuda)]
