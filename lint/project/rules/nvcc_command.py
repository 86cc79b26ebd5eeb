"""AMD2104: a script that compiles with nvcc."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..file import ProjectFile


@rule("AMD2104", triggers={"nvcc"})
def nvcc_command(file: ProjectFile) -> Iterator[Finding]:
    """Report the command in scripts, images and workflows."""
    if file.for_both or file.kind == "make":
        return
    for command in file.commands:
        if command.guarded or command.name != "nvcc":
            continue
        word = command.words[command.name_index]
        asks = [w.value for w in command.arguments] in (["--version"], ["-V"])
        paste = (
            "hipcc --version"
            if asks
            else "hipify-perl kernels.cu > kernels.hip && hipcc -O3 -fPIC -shared --offload-arch=gfx942 kernels.hip"
        )
        yield Finding(
            "AMD2104",
            word.start,
            word.end,
            detail="asks for the version of nvcc, which does not come with ROCm"
            if asks
            else "no nvcc comes with ROCm",
            fix=Fix("display", "with ROCm", paste=paste),
        )
