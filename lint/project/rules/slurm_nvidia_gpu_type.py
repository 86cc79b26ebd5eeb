"""AMD7108: a batch job that asks the scheduler for an NVIDIA GPU by name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from ..file import ProjectFile

TYPES = (
    "a100", "a100_80", "a30", "a40", "a6000", "h100", "h200", "b100", "b200", "gh200", "gb200", "v100", "v100s", "p100",
    "t4", "l4", "l40", "l40s", "k80", "rtx", "rtx3090", "rtx4090", "rtx6000", "rtx8000", "rtxa6000", "titan",
)  # fmt: skip
_OPTION = re.compile(
    rf"--(?:gres=gpu|gpus(?:-per-node|-per-task)?=)(:?(?:nvidia[_-])?(?:{'|'.join(TYPES)})(?:[-_][\w.]+)?)(?=[:\s]|$)",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"^#SBATCH[ \t]+(?:--gres[= ]gpu|--gpus(?:-per-node|-per-task)?[= ]|-G[ \t]*|--constraint[= ]|-C[ \t]+)"
    rf"(:?(?:nvidia[_-])?(?:{'|'.join(TYPES)})(?:[-_][\w.]+)?)(?=[:\s]|$)",
    re.MULTILINE | re.IGNORECASE,
)


@rule("AMD7108", triggers={"SBATCH", "srun", "sbatch", "salloc"})
def slurm_nvidia_gpu_type(file: ProjectFile) -> Iterator[Finding]:
    """Report the option; the fix asks for any GPU."""
    if file.kind != "shell" or file.for_both:
        return
    matches = list(_ASKED.finditer(file.text))
    for command in file.commands:
        if command.name in ("srun", "sbatch", "salloc") and not command.guarded:
            matches += _OPTION.finditer(file.text, command.start, command.end)
    for match in matches:
        start, end = match.span(1)
        fix = None
        if file.text[start] == ":" or file.text[end : end + 1] == ":":
            stop = end if file.text[start] == ":" else end + 1
            fix = Fix(
                "unsafe",
                "ask for GPUs of any type",
                (Edit(start, stop, ""),),
                reason="a cluster with several types may then give another GPU",
            )
        yield Finding("AMD7108", match.start(), end, detail=f"no AMD node has {match[1].strip(':')}", fix=fix)
