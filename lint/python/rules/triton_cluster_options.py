"""AMD3003: num_ctas and maxnreg, options of the NVIDIA backend."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..fixes import otherwise, splice_keywords
from ..module import Module
from ..triton import number, options

_NEAR = (b"triton",)


@rule("AMD3003", triggers={"num_ctas", "maxnreg"})
def triton_cluster_options(module: Module) -> Iterator[Finding]:
    if not module.holds(*_NEAR):
        return
    for keyword in options(module, "num_ctas"):
        ctas = number(keyword.value)
        if ctas is not None and ctas > 1 and not module.guarded(keyword):
            fix = otherwise(module, keyword.value, "1", "one block at a time on ROCm")
            yield module.report(
                "AMD3003", keyword, "ValueError on AMD: no clusters of blocks before gfx1250", fix
            )
    for keyword in options(module, "maxnreg"):
        if isinstance(keyword.value, ast.Constant) and keyword.value.value is None:
            continue
        if not module.guarded(keyword):
            fix = splice_keywords(module, [keyword], "pass maxnreg on NVIDIA only")
            yield module.report("AMD3003", keyword, "KeyError on AMD: the backend does not know maxnreg", fix)
