"""AMD6201: cublasLt names that torch hipify does not map."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from ..names import mapping, missing_words
from ..rewrite import skip_statement
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
            "SCALE_TYPE",
            "COMPUTE_TYPE",
        )
    }
    | {"CUBLASLT_ORDER_ROW", "CUBLASLT_ORDER_COL", "CUBLASLT_ORDER_COL32", "CUBLASLT_MATRIX_LAYOUT_ORDER"}
)


@rule(CODE, triggers=_COMMON)
def cublaslt_unmapped(unit: Unit) -> Iterator[Finding]:
    for i in missing_words(unit, _EPILOGUES):
        name = unit.texts[i]
        pair = mapping(name)
        said = None if pair else _said_before(unit, i)
        if said is not None:
            detail = (
                f"hipBLASLt has no {name}: the descriptor keeps the type that it was made with, {said[1]}"
            )
            yield unit.finding(CODE, i, detail=detail, fix=Fix("safe", "set for NVIDIA only", said[0]))
            continue
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


def _said_before(unit: Unit, i: int) -> tuple[tuple[Edit, ...], str] | None:
    """Where the statement sets a type that ``cublasLtMatmulDescCreate`` has set already: its edits, and the type."""
    place = {"CUBLASLT_MATMUL_DESC_COMPUTE_TYPE": 1, "CUBLASLT_MATMUL_DESC_SCALE_TYPE": 2}.get(unit.texts[i])
    function = unit.function(i)
    if place is None or function is None:
        return None
    setter = next(
        (
            c
            for c in unit.calls("cublasLtMatmulDescSetAttribute")
            if c.open < i < c.close and len(c.args) == 4
        ),
        None,
    )
    if setter is None:
        return None
    descriptor = unit.slice(*setter.args[0])
    made = [
        c
        for c in unit.calls("cublasLtMatmulDescCreate")
        if len(c.args) == 3
        and function.body < c.name < setter.name
        and unit.slice(*c.args[0]).replace(" ", "") == f"&{descriptor}"
    ]
    value = unit.slice(*setter.args[2]).replace(" ", "").removeprefix("&")
    declared = unit.declared(value, setter.name)
    if len(made) != 1 or declared is None or unit.texts[declared[2]] != "=":
        return None
    end = next((k for k in range(declared[2], setter.name) if unit.texts[k] == ";"), declared[2])
    uses = [k for k in unit.tokens.words.get(value, ()) if declared[1] < k < setter.open]
    given = unit.slice(*made[0].args[place])
    if uses or unit.slice(declared[2] + 1, end) != given:
        return None
    first = setter.name
    while first > function.body and unit.texts[first - 1] not in (";", "{", "}"):
        first -= 1
    edits = skip_statement(unit, first)
    return None if edits is None else (edits, given)
