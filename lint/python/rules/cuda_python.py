"""AMD6019: cuda-python, the bindings of the NVIDIA driver."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..module import Module
from ..packages import once, optional, required

_PACKAGES = ("cuda.bindings", "cuda.cuda", "cuda.cudart", "cuda.nvrtc", "cuda.core", "cuda.nvml")
_NEAR = re.compile(rb"(?:from|import)\s+cuda\b")


@rule("AMD6019", triggers={"bindings", "cudart", "nvrtc", "driver", "cuInit", "cudaError_t", "CUresult"})
def cuda_python(module: Module) -> Iterator[Finding]:
    if not module.mentions(_NEAR):
        return
    if b"import" not in module.source.data:
        return
    if b"cutlass" in module.source.data:
        return  # a file for CUTLASS belongs to NVIDIA altogether
    yield from once(
        module,
        (
            module.report(
                "AMD6019",
                stmt,
                "cuda-python needs the NVIDIA driver; the counterpart is hip-python",
                optional(module, stmt),
            )
            for stmt, _ in required(module, *_PACKAGES)
            if not (isinstance(stmt, ast.ImportFrom) and stmt.level)
        ),
    )
