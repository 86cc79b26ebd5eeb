"""AMD9003: profiler events looked for by their CUDA names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..fixes import display
from ..module import Module

_EVENT = re.compile(
    r"cuda(?:LaunchKernel|MemcpyAsync|Memcpy|MemsetAsync|StreamSynchronize|DeviceSynchronize|Malloc|Free|EventRecord|GraphLaunch)\w*"
)
_WORDS = (
    "cudaLaunchKernel",
    "cudaMemcpyAsync",
    "cudaMemsetAsync",
    "cudaStreamSynchronize",
    "cudaDeviceSynchronize",
    "cudaGraphLaunch",
    "cudaLaunchKernelExC",
)


@rule("AMD9003", triggers=set(_WORDS))
def profiler_event_names(module: Module) -> Iterator[Finding]:
    if (
        b"hipLaunchKernel" in module.source.data
        or b"hipMemcpy" in module.source.data
        or not module.words & {"profiler", "profile", "trace", "kineto", "events"}
    ):
        return
    for node in module.strings(*_WORDS):
        if not isinstance(node.value, str) or not _EVENT.fullmatch(node.value) or module.guarded(node):
            continue
        if _compared(module, node):
            twin = "hip" + node.value.removeprefix("cuda")
            yield module.report(
                "AMD9003",
                node,
                f"the profiler calls it {twin} on ROCm",
                display("look for both names", f'name in ("{node.value}", "{twin}")'),
            )


def _compared(module: Module, node: ast.Constant) -> bool:
    above = module.parent(node)
    if isinstance(above, (ast.Tuple, ast.List, ast.Set)):
        above = module.parent(above)
    if isinstance(above, ast.Compare):
        return True
    return (
        isinstance(above, ast.Call)
        and isinstance(above.func, ast.Attribute)
        and above.func.attr == "startswith"
    )
