"""AMD9002: workers forked by a process that has asked for GPUs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..fixes import otherwise
from ..module import Module

_STARTERS = tuple(
    f"{m}.{f}"
    for m in ("multiprocessing", "torch.multiprocessing", "multiprocess")
    for f in ("get_context", "set_start_method")
)
_GPU = re.compile(rb"\.cuda\b|[\"']cuda|is_available\(|device_count\(|set_device")
_NEAR = re.compile(rb"[\"']fork[\"']")


@rule("AMD9002", triggers={"fork"})
def fork_after_gpu_init(module: Module) -> Iterator[Finding]:
    if not module.mentions(_NEAR):
        return
    if "torch" not in module.words:
        return
    for call in module.calls(*_STARTERS, "torch.multiprocessing.start_processes"):
        method = call.args[0] if call.args else None
        for keyword in call.keywords:
            if keyword.arg in ("method", "start_method"):
                method = keyword.value
        if not isinstance(method, ast.Constant) or method.value != "fork" or not _asks_for_gpus(module, call):
            continue
        if not module.guarded(call):
            fix = otherwise(module, method, '"spawn"', "spawn on ROCm")
            yield module.report(
                "AMD9002",
                method,
                "HIP does not survive a fork, and this process may have started it (even device_count() does)",
                fix,
            )


def _asks_for_gpus(module: Module, call: ast.Call) -> bool:
    """Whether the function that forks has to do with GPUs (module level: any other code there)."""
    function = module.function(call)
    return (
        _GPU.search(module.text(function).encode() if function is not None else module.source.data)
        is not None
    )
