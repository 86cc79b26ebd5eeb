"""AMD3222: tensor-core PTX (mma.sync, ldmatrix, wgmma) without an AMD path."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..ptx import statements
from ..unit import Unit

CODE = "AMD3222"
TENSOR = re.compile(r"\b(?:mma|wgmma|ldmatrix|stmatrix|movmatrix|tcgen05)\.[\w.:]+")


@rule(CODE, triggers={"asm", "__asm__", "__asm"})
def mma_ptx(unit: Unit) -> Iterator[Finding]:
    for asm in statements(unit):
        found = TENSOR.search(asm.code)
        if found is None or unit.amd_only(asm.first):
            continue
        name = found.group().split(".")
        fix = Fix(
            "display",
            "give AMD its own matrix path",
            paste=f"{unit.if_amd}\n  // rocWMMA, composable_kernel, __builtin_amdgcn_mfma_* (CDNA) or __builtin_amdgcn_wmma_* (RDNA3 and later)\n"
            f'#else\n  asm volatile("{".".join(name[:2])}...");\n#endif',
        )
        yield unit.finding(
            CODE, asm.first, asm.close, detail=f"{'.'.join(name[:3])} drives NVIDIA tensor cores", fix=fix
        )
        function = unit.function(asm.first)
        if function is not None:
            for call in unit.calls("__cvta_generic_to_shared"):
                if function.body < call.name < function.end:
                    yield unit.finding(
                        CODE,
                        call.name,
                        call.close,
                        detail="__cvta_generic_to_shared makes an address for PTX; HIP has no such function",
                        fix=fix,
                    )
