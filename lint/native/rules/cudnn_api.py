"""AMD6205: cuDNN calls; MIOpen has another shape."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..names import at_include, includes, missing_words
from ..unit import Unit

CODE = "AMD6205"
_HEADER = re.compile(r"cudnn\w*\.h")
_NAMES = re.compile(r"cudnn[A-Z]\w*")


@rule(
    CODE,
    triggers={
        "cudnn",
        "cudnnHandle_t",
        "cudnnCreate",
        "cudnnSetStream",
        "cudnnTensorDescriptor_t",
        "cudnnConvolutionForward",
        "cudnnDestroy",
        "cudnnStatus_t",
    },
)
def cudnn_api(unit: Unit) -> Iterator[Finding]:
    fix = Fix(
        "display",
        "the portable call of torch, or MIOpen on AMD",
        paste="at::convolution(input, weight, bias, stride, padding, dilation, false, {0, 0}, groups)",
    )
    for name, directive in includes(unit, _HEADER):
        yield at_include(unit, CODE, directive, f"ROCm has no {name}; the counterpart is MIOpen", fix)
    for i in missing_words(unit, _NAMES):
        yield unit.finding(
            CODE, i, detail=f"{unit.texts[i]} belongs to cuDNN, which hipify does not map", fix=fix
        )
