"""AMD6201: cublasLt names that torch hipify does not map."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..names import mapping, missing_words
from ..unit import Unit

CODE = "AMD6201"
_EPILOGUES = re.compile(
    r"CUBLASLT_EPILOGUE_(?:DGELU|DRELU|BGRAD|RELU_AUX|GELU_AUX)\w*|CUBLASLT_MATMUL_DESC_(?:EPILOGUE_AUX\w*|FAST_ACCUM|D_SCALE_MODE|COMPUTE_TYPE|SCALE_TYPE)"
    r"|CUBLASLT_ORDER_\w+|CUBLASLT_MATMUL_PREF_(?:REDUCTION|MIN|IMPL)\w*|CUBLASLT_REDUCTION_SCHEME\w*|CUBLASLT_MATRIX_LAYOUT_(?:ORDER|TYPE|ROWS|COLS|LD)"
)
_COMMON = (
    {
        f"CUBLASLT_EPILOGUE_{n}"
        for n in (
            "DGELU",
            "DGELU_BGRAD",
            "DRELU",
            "DRELU_BGRAD",
            "BGRADA",
            "BGRADB",
            "RELU_AUX",
            "RELU_AUX_BIAS",
            "GELU_AUX",
            "GELU_AUX_BIAS",
        )
    }
    | {
        f"CUBLASLT_MATMUL_DESC_{n}"
        for n in (
            "EPILOGUE_AUX_POINTER",
            "EPILOGUE_AUX_LD",
            "EPILOGUE_AUX_BATCH_STRIDE",
            "EPILOGUE_AUX_DATA_TYPE",
            "FAST_ACCUM",
        )
    }
    | {"CUBLASLT_ORDER_ROW", "CUBLASLT_ORDER_COL", "CUBLASLT_ORDER_COL32", "CUBLASLT_MATRIX_LAYOUT_ORDER"}
)


@rule(CODE, triggers=_COMMON)
def cublaslt_unmapped(unit: Unit) -> Iterator[Finding]:
    for i in missing_words(unit, _EPILOGUES):
        name = unit.texts[i]
        pair = mapping(name)
        fix = (
            Fix("safe", "hipBLASLt's name on AMD", helpers=(pair,))
            if pair
            else Fix(
                "display",
                "keep this step outside the GEMM on AMD",
                paste=f"{unit.if_not_amd}\n  // {name}\n#endif",
            )
        )
        yield unit.finding(CODE, i, detail=f"torch hipify does not map {name}", fix=fix)
