"""AMD2110: DeepSpeed built with GPUDirect Storage."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import switch
from ..file import ProjectFile, Variable


@rule("AMD2110", triggers={"DS_BUILD_GDS", "CUFILE_ENV_PATH_JSON"})
def deepspeed_gds_build(file: ProjectFile) -> Iterator[Finding]:
    """Report the switch and cuFile's own variable."""
    if file.for_both:
        return
    for variable in file.variables:
        if variable.guarded:
            continue
        if variable.name == "DS_BUILD_GDS" and variable.value == "1":
            fix = _fix(file, variable)
            yield Finding(
                "AMD2110", variable.start, variable.end, detail="the op refuses to build on ROCm", fix=fix
            )
        elif variable.name == "CUFILE_ENV_PATH_JSON":
            yield Finding("AMD2110", variable.start, variable.end, detail="read by NVIDIA's cuFile only")


def _fix(file: ProjectFile, variable: Variable) -> Fix | None:
    command = next((c for c in file.commands if c.start <= variable.start < c.end), None)
    if command is None or variable.where != "prefix" or "\n" in file.text[command.start : command.end]:
        return Fix("display", "build the asynchronous I/O op only", paste="DS_BUILD_AIO=1")
    text = (
        file.source.text(command.start, variable.start)
        + "DS_BUILD_AIO=1"
        + file.source.text(variable.end, command.end)
    )
    edit = switch.choose(file, command, text)
    return Fix("safe", "build the asynchronous I/O op on machines with AMD GPUs", (edit,)) if edit else None
