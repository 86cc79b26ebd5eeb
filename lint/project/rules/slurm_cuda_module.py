"""AMD7107: environment modules of the CUDA stack."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import switch
from ..file import ProjectFile

_CUDA = re.compile(
    r"(?:[\w.-]+/)*(?:cuda(?:toolkit|core|-toolkit)?|cudnn|nvhpc|nvidia-hpc|nccl|CUDA|cuDNN|NCCL)(?:[/-][\w./-]*)?"
)
_NVIDIA_ONLY = re.compile(r"cud|nv|CUDA", re.IGNORECASE)


@rule("AMD7107", triggers={"module", "ml"})
def slurm_cuda_module(file: ProjectFile) -> Iterator[Finding]:
    """Report module load and ml lines; the fix loads rocm where the machine has AMD GPUs."""
    if file.for_both:
        return
    for command in file.commands:
        values = [w.value for w in command.arguments]
        if command.guarded or not values:
            continue
        if command.name == "module" and values[0] in ("load", "add", "swap", "switch"):
            words = command.arguments[1:]
        elif command.name == "ml" and values[0] not in ("unload", "purge", "avail", "list", "spider", "del"):
            words = command.arguments
        else:
            continue
        cuda = [w for w in words if _CUDA.fullmatch(w.value)]
        if not any(_NVIDIA_ONLY.search(w.value) for w in cuda):
            continue
        others = [w.value for w in words if w not in cuda and not w.value.startswith("-")]
        edit = switch.choose(file, command, "module load " + " ".join(["rocm", *others]))
        yield Finding(
            "AMD7107",
            cuda[0].start,
            cuda[-1].end,
            detail="AMD clusters have a rocm module instead",
            fix=Fix("safe", "load rocm on machines with AMD GPUs", (edit,))
            if edit and values[0] in ("load", "add")
            else None,
        )
