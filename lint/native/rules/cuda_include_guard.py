"""AMD2212: code behind the include guard of a CUDA header, which HIP's headers do not define."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from ..preprocess import means_amd
from ..unit import Unit

CODE = "AMD2212"
GUARDS = frozenset(
    {
        "__CUDA_RUNTIME_H__",
        "__CUDA_RUNTIME_API_H__",
        "__DRIVER_TYPES_H__",
        "__VECTOR_TYPES_H__",
        "__CUDA_FP16_H__",
        "__CUDA_BF16_H__",
    }
)
# Guards of library headers, and those of the HIP headers that stand in for them.
LIBRARIES = {
    "CUBLAS_API_H_": "HIPBLAS_H",
    "CUBLAS_V2_H_": "HIPBLAS_H",
    "CUBLAS_H_": "HIPBLAS_H",
    "_CUFFT_H_": "HIPFFT_H_",
    "CUSPARSEAPI": "HIPSPARSE_H",
    "CUSPARSE_H_": "HIPSPARSE_H",
    "CUSOLVER_COMMON_H_": "HIPSOLVER_H",
    "CUSOLVERDN_H_": "HIPSOLVER_H",
    "CURAND_H_": "HIPRAND_H_",
}


@rule(CODE, triggers={*GUARDS, *LIBRARIES})
def cuda_include_guard(unit: Unit) -> Iterator[Finding]:
    for conditional in unit.pre.conditionals:
        opener = conditional.branches[0].opener
        words = unit.texts[opener.first : opener.last]
        guard = next((w for w in words if w in GUARDS or w in LIBRARIES), None)
        if guard is None or "!" in words or opener.name == "ifndef" or any(means_amd(w) for w in words):
            continue
        twin = LIBRARIES.get(guard)
        if twin in words:
            continue
        if unit.pre.live(opener.start) is False or len(conditional.branches) > 1:
            continue
        start, end = unit.tokens.starts[opener.token], unit.tokens.end(opener.last - 1)
        condition = unit.slice(opener.first, opener.last)
        if opener.name == "ifdef":
            condition = f"defined({condition})"
        elif "&&" in words:
            condition = f"({condition})"
        yield unit.finding(
            CODE,
            opener.token,
            opener.last - 1,
            detail=f"{guard} is defined by CUDA's header only, so AMD builds leave this code out",
            fix=Fix(
                "safe",
                "compile it for AMD as well",
                (Edit(start, end, f"#if {condition} || {f'defined({twin})' if twin else unit.amd_test}"),),
            ),
        )
