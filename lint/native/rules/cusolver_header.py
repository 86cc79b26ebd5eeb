"""AMD6206: cuSOLVER headers and the names of the library."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..names import at_include, includes, mapped, missing_words
from ..rewrite import skip_include
from ..unit import Unit

CODE = "AMD6206"
_NAMES = re.compile(r"cusolver\w+|CUSOLVER_\w+")
_HEADER = re.compile(r"cusolver\w*\.h|cusparse_v2\.h")


@rule(
    CODE,
    triggers={
        "cusolverDn",
        "cusolver_common",
        "cusolverSp",
        "cusparse_v2",
        "cusolverMg",
        "cusolverDnHandle_t",
    },
)
def cusolver_header(unit: Unit) -> Iterator[Finding]:
    helpers, unknown = mapped(unit, _NAMES)
    for name, directive in includes(unit, _HEADER):
        header = "hipsparse/hipsparse.h" if "sparse" in name else "hipsolver/hipsolver.h"
        if unknown:
            fix = Fix(
                "display",
                f"{header} on AMD",
                paste=f"{unit.if_amd}\n#include <{header}>\n#else\n#include <{name}>\n#endif",
            )
        else:
            fix = Fix(
                "safe",
                f"{header} on AMD",
                skip_include(unit, directive, [f"#include <{header}>"]),
                helpers=helpers if "solver" in name else (),
            )
        yield at_include(unit, CODE, directive, f"hipify does not map <{name}>", fix)
    if unknown:
        for i in missing_words(unit, re.compile("|".join(unknown))):
            fix = Fix("display", "the ATen function", paste="at::linalg_eigh(a)")
            yield unit.finding(CODE, i, detail=f"hipSOLVER has no counterpart of {unit.texts[i]}", fix=fix)
