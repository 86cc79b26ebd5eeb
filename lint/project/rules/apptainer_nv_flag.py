"""AMD7109: Apptainer or Singularity with --nv."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from .. import switch
from ..file import ProjectFile


@rule("AMD7109", triggers={"nv", "nvccli"})
def apptainer_nv_flag(file: ProjectFile) -> Iterator[Finding]:
    """Report the flag; the fix passes --rocm on machines with AMD GPUs."""
    if file.for_both:
        return
    for command in file.commands:
        values = [w.value for w in command.words]
        if command.guarded or not {"apptainer", "singularity"} & {v.rsplit("/", 1)[-1] for v in values[:6]}:
            continue
        for word in command.words:
            if word.value not in ("--nv", "--nvccli"):
                continue
            fix: Fix | None = Fix("display", "on AMD pass the other flag", paste="--rocm")
            span = switch.statement(file, command)
            if span is not None and "gpu_flag" not in file.text:
                newline = file.source.newline
                lead = file.source.text(span[0], command.start)
                head = f'{lead}gpu_flag="{word.value}"{newline}{lead}if {switch.ON_AMD}; then gpu_flag="--rocm"; fi{newline}'
                edits = (Edit(span[0], span[0], head), Edit(word.start, word.end, '"$gpu_flag"'))
                fix = Fix("safe", "choose the flag by the machine's GPU", edits)
            yield Finding(
                "AMD7109", word.start, word.end, detail="binds NVIDIA's driver libraries only", fix=fix
            )
