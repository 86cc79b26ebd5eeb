"""AMD9003: profiler events looked for by their CUDA names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..module import Module

_EVENT = re.compile(
    r"cuda(?:LaunchKernel|MemcpyAsync|Memcpy|MemsetAsync|StreamSynchronize|DeviceSynchronize|Malloc|Free|EventRecord|GraphLaunch)\w*"
)
_WORDS = (
    "cudaLaunchKernel", "cudaMemcpyAsync", "cudaMemsetAsync", "cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaGraphLaunch",
    "cudaLaunchKernelExC",
)  # fmt: skip
_PROFILES = {"profiler", "profile", "trace", "kineto", "events", "key_averages"}


@rule("AMD9003", triggers=set(_WORDS))
def profiler_event_names(module: Module) -> Iterator[Finding]:
    if b"hipLaunchKernel" in module.source.data or b"hipMemcpy" in module.source.data:
        return
    if not module.words & _PROFILES:
        return
    for node in module.strings(*_WORDS):
        if not isinstance(node.value, str) or not _EVENT.fullmatch(node.value) or module.guarded(node):
            continue
        twin = "hip" + node.value.removeprefix("cuda").removesuffix("ExC")
        if module.holds(twin.encode()):
            continue  # both names are known here
        found, fix = _compared(module, node, twin)
        if found:
            yield module.report("AMD9003", node, f"the profiler calls it {twin} on ROCm", fix)


def _compared(module: Module, node: ast.Constant, twin: str) -> tuple[bool, Fix | None]:
    above = module.parent(node)
    quote = module.text(node)[0]
    name = f"{quote}{twin}{quote}"
    message = "look for both names"
    if isinstance(above, (ast.Tuple, ast.List, ast.Set)):
        holder = module.parent(above)
        used = isinstance(holder, (ast.Compare, ast.For, ast.comprehension, ast.Assign))
        return used, Fix("safe", message, (module.after(node, f", {name}"),))
    if isinstance(above, ast.Compare) and len(above.ops) == 1:
        op = above.ops[0]
        text, other = module.text(node), above.comparators[0] if above.left is node else above.left
        if isinstance(op, (ast.Eq, ast.NotEq)):
            word = "in" if isinstance(op, ast.Eq) else "not in"
            new = f"{module.text(other)} {word} ({text}, {name})"
            return True, Fix("safe", message, (module.replace(above, new),))
        if isinstance(op, ast.In) and above.left is node:
            return True, Fix(
                "safe",
                message,
                (module.replace(above, f"any(n in {module.text(other)} for n in ({text}, {name}))"),),
            )
        return True, None
    if (
        isinstance(above, ast.Call)
        and isinstance(above.func, ast.Attribute)
        and above.func.attr == "startswith"
    ):
        return True, Fix("safe", message, (module.replace(node, f"({module.text(node)}, {name})"),))
    return False, None
