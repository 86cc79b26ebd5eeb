"""AMD2204: <nvtx3/nvToolsExt.h>."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..names import at_include, includes, mapped
from ..rewrite import skip_include
from ..unit import Unit

CODE = "AMD2204"
_CALLS = re.compile(r"nvtx(?:RangePushA?|RangePop|MarkA?|RangeStartA?|RangeEnd)")


@rule(CODE, triggers={"nvtx3"})
def nvtx3_header(unit: Unit) -> Iterator[Finding]:
    for name, directive in includes(unit, re.compile(r"nvtx3/(?:nvToolsExt\w*\.h|nvtx3\.hpp)")):
        plain = name == "nvtx3/nvToolsExt.h" and not unit.has("nvtxEventAttributes_t", "nvtxDomainHandle_t", "nvtxRangePushEx")
        fix = (
            Fix("safe", "roctx on AMD", skip_include(unit, directive, ["#include <roctracer/roctx.h>", *_defines(unit)]))
            if plain
            else Fix("display", "roctx on AMD", paste=f"{unit.if_amd}\n#include <roctracer/roctx.h>\n#else\n#include <{name}>\n#endif")
        )
        yield at_include(unit, CODE, directive, f"ROCm has no {name}; hipify makes it <nvtx3/roctracer/roctx.h>, which does not exist", fix)


def _defines(unit: Unit) -> list[str]:
    """Names for builds that no hipify translates."""
    if unit.build == "torch":
        return []
    helpers, _ = mapped(unit, _CALLS)
    return [f"#define {h.replace('=', ' ')}" for h in helpers]
