"""AMD3004: Hopper's warp-specialisation options."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..fixes import splice_keywords
from ..module import Module
from ..triton import neighbours, options

_OPTIONS = {"num_consumer_groups", "num_buffers_warp_spec", "reg_dec_producer", "reg_inc_consumer"}


@rule("AMD3004", triggers=_OPTIONS)
def triton_warp_specialization(module: Module) -> Iterator[Finding]:
    seen: set[ast.AST] = set()
    for keyword in options(module, *sorted(_OPTIONS)):
        call = module.parent(keyword)
        if not isinstance(call, ast.Call) or call in seen or module.guarded(keyword):
            continue
        seen.add(call)
        for run in neighbours(call, _OPTIONS):
            fix = splice_keywords(module, run, "pass them on NVIDIA only")
            finding = module.report("AMD3004", run[0], f"the AMD backend does not know {run[0].arg}", fix)
            yield Finding(finding.code, finding.start, module.span(run[-1])[1], finding.detail, fix)
