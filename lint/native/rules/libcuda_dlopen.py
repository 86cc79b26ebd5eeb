"""AMD2205: libcuda.so is loaded by name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..lexer import STRING
from ..unit import Unit

CODE = "AMD2205"
_LIBRARY = re.compile(
    r'"(?:[\w/.-]*/)?lib(cuda|cudart|nvrtc|nvidia-ml|cublas|cublasLt|cudnn|nvToolsExt)\.so[\w.]*"'
)
_ON_AMD = {"cuda": "libamdhip64.so", "cudart": "libamdhip64.so", "nvrtc": "libhiprtc.so", "cublas": "libhipblas.so", "cublasLt": "libhipblaslt.so",
           "nvidia-ml": "libamd_smi.so", "cudnn": "libMIOpen.so", "nvToolsExt": "libroctx64.so"}  # fmt: skip


@rule(
    CODE,
    triggers={
        "libcuda",
        "libcudart",
        "libnvrtc",
        "libnvidia",
        "libcublas",
        "libcublasLt",
        "libcudnn",
        "libnvToolsExt",
    },
)
def libcuda_dlopen(unit: Unit) -> Iterator[Finding]:
    for i, t in enumerate(unit.texts):
        if unit.tokens.kinds[i] != STRING or not unit.live(i) or unit._in_directive[i]:
            continue
        m = _LIBRARY.fullmatch(t)
        if m is None or not unit.has(
            "dlopen", "LoadLibrary", "LoadLibraryA", "SharedLibrary", "DynamicLibrary"
        ):
            continue
        library = _ON_AMD[m.group(1)]
        yield unit.finding(
            CODE,
            i,
            detail=f"there is no {t.strip(chr(34))} on a ROCm system",
            fix=Fix(
                "display",
                f"load {library} on AMD, with hip names",
                paste=f'{unit.if_amd}\n  void* lib = dlopen("{library}", RTLD_NOW);\n#else\n  void* lib = dlopen({t}, RTLD_NOW);\n#endif',
            ),
        )
