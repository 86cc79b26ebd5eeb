"""AMD2213: a case label of a CUDA enumerator that HIP does not have."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....kb.facts.cuda import cuda_name
from ...finding import Finding, Fix
from ...rules import rule
from ..rewrite import only_nvidia
from ..unit import Unit

CODE = "AMD2213"
_ENUMERATOR = re.compile(
    r"cuda(?:Error|MemoryType|DevAttr|LimitType|ComputeMode)\w+|(?:CUDA_ERROR|CUBLAS|CUBLASLT|CUFFT|CURAND|CUSPARSE|CUSOLVER|NVRTC)_\w+"
)
_COMMON = {
    "CUBLAS_STATUS_SUCCESS",
    "CUFFT_SUCCESS",
    "CURAND_STATUS_SUCCESS",
    "CUSPARSE_STATUS_SUCCESS",
    "CUSOLVER_STATUS_SUCCESS",
    "NVRTC_SUCCESS",
    "CUDA_SUCCESS",
    "cudaSuccess",
}


@rule(CODE, triggers=_COMMON)
def missing_enumerator_case(unit: Unit) -> Iterator[Finding]:
    if unit.amd_native:
        return
    texts = unit.texts
    names = [n for n in unit.tokens.words if _ENUMERATOR.fullmatch(n)]
    for i in unit.words(*names):
        name = texts[i]
        row = cuda_name(name)
        if texts[unit.previous(i)] != "case" or texts[unit.next(i)] != ":" or (row is not None and row.hip):
            continue
        if unit.provided(name) or unit.macro_at(i) is not None:
            continue
        # the label alone: what follows it may belong to the labels before
        fix = Fix("safe", "a label for NVIDIA only", only_nvidia(unit, unit.previous(i), unit.next(i)))
        detail = f"HIP has no {name}, and its functions never return it"
        yield unit.finding(CODE, i, detail=detail, fix=fix)
