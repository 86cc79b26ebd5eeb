"""AMD7112: the CUDA Multi-Process Service in a script."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import switch
from ..file import ProjectFile

PROGRAMS = frozenset({"nvidia-cuda-mps-control", "nvidia-cuda-mps-server"})


@rule(
    "AMD7112",
    triggers={
        "mps",
        "CUDA_MPS_PIPE_DIRECTORY",
        "CUDA_MPS_LOG_DIRECTORY",
        "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
    },
)
def cuda_mps_daemon(file: ProjectFile) -> Iterator[Finding]:
    """Report the daemon and its variables; the fix starts it only where it is installed."""
    if file.for_both:
        return
    started = False
    for command in file.commands:
        if command.guarded or command.name not in PROGRAMS:
            continue
        started = True
        word = command.words[command.name_index]
        edit = switch.only_if_installed(file, command, command.name) if not command.name_index else None
        fix = Fix("safe", "start it only where it is installed", (edit,)) if edit else None
        yield Finding("AMD7112", word.start, word.end, detail="not found on an AMD machine", fix=fix)
    for variable in file.variables:
        if variable.name.startswith("CUDA_MPS_") and not variable.guarded and started:
            yield Finding("AMD7112", variable.start, variable.end, detail="read by the NVIDIA service only")
