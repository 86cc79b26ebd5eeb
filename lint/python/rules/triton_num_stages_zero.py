"""AMD3002: num_stages=0 stops the AMD pipeliner."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..fixes import torch_name
from ..module import Module
from ..triton import number, options

_NEAR = re.compile(rb"num_stages\s*=[\s(]*0\b")


@rule("AMD3002", triggers={"num_stages"})
def triton_num_stages_zero(module: Module) -> Iterator[Finding]:
    if not module.mentions(_NEAR):
        return
    for keyword in options(module, "num_stages"):
        if number(keyword.value) != 0 or module.guarded(keyword):
            continue
        torch = torch_name(module, keyword)
        fix = None
        if torch is not None:
            text = f"1 if {torch[0]}.version.hip is not None else 0"
            fix = Fix(
                "safe",
                "one stage on ROCm: no pipelining either",
                (module.replace(keyword.value, text),),
                imports=torch[1],
            )
        yield module.report(
            "AMD3002", keyword, "the AMD backend asserts at least one stage since Triton 3.2", fix
        )
