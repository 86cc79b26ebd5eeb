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
# What starts the driver in the process, asked about the text before a DataLoader.
_USED = re.compile(rb"\.cuda\(|\.to\([^)\n]{0,60}[\"']cuda|device\s*=\s*[\"']cuda|cuda\.set_device\(")
_CONTEXT = "multiprocessing_context"
_NEAR = re.compile(rb"[\"']fork[\"']")


@rule("AMD9002", triggers={"fork"})
def fork_after_gpu_init(module: Module) -> Iterator[Finding]:
    if not module.mentions(_NEAR):
        return
    if "torch" not in module.words:
        return
    for call in module.calls(*_STARTERS, "torch.multiprocessing.start_processes"):
        if any(isinstance(p, ast.keyword) and p.arg == _CONTEXT for p in module.parents(call)):
            continue  # the context of a DataLoader: below
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
    for keyword in module.keywords(_CONTEXT):
        call_above = module.parent(keyword)
        fork = _forks(module, keyword.value)
        if fork is None or not isinstance(call_above, ast.Call) or module.guarded(keyword):
            continue
        if _started_before(module, call_above):
            yield module.report(
                "AMD9002",
                fork,
                "HIP does not survive a fork: workers of a process that has used the GPU may fail or hang",
                otherwise(
                    module,
                    fork,
                    '"spawn"',
                    "spawn on ROCm",
                    level="unsafe",
                    reason="spawn pickles the data set for its workers",
                ),
            )


def _forks(module: Module, context: ast.expr) -> ast.Constant | None:
    """The ``"fork"`` of ``multiprocessing_context="fork"``, or of ``get_context("fork")`` there."""
    if isinstance(context, ast.Call) and module.names(context.func) & set(_STARTERS) and context.args:
        context = context.args[0]
    return context if isinstance(context, ast.Constant) and context.value == "fork" else None


def _started_before(module: Module, call: ast.Call) -> bool:
    """Whether the code above a call, in its function or at module level, has put something on a GPU."""
    function = module.function(call)
    start = module.span(function)[0] if function is not None else 0
    return _USED.search(module.source.data[start : module.span(call)[0]]) is not None


def _asks_for_gpus(module: Module, call: ast.Call) -> bool:
    """Whether the function that forks has to do with GPUs (module level: any other code there)."""
    function = module.function(call)
    return (
        _GPU.search(module.text(function).encode() if function is not None else module.source.data)
        is not None
    )
