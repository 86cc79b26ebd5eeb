"""AMD8101: a version pin with a CUDA local part, such as torch==2.5.1+cu124."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from ..file import ProjectFile
from .cuda_wheel_index import CUDA_VERSIONS

_LOCAL = re.compile(r"\+(?:pt\d+)?cu\d{2,3}\b")


@rule(
    "AMD8101",
    triggers={f"cu{v}" for v in CUDA_VERSIONS}
    | {f"pt{t}cu{v}" for v in CUDA_VERSIONS for t in range(20, 30)},
)
def cuda_local_version(file: ProjectFile) -> Iterator[Finding]:
    """Report the requirement; the fix drops the local part."""
    if file.for_both:
        return
    for requirement in file.requirements:
        binary = requirement.url.split("#")[0].endswith(".whl") and _LOCAL.search(
            requirement.url.replace("%2B", "+")
        )
        if binary and not requirement.guarded and requirement.name not in ("flash-attn", "flash-attn-3"):
            yield Finding("AMD8101", requirement.start, requirement.end, detail="a binary for CUDA")
            continue
        local = _LOCAL.search(requirement.spec)
        if requirement.guarded or not local:
            continue
        at = file.text.index(local[0], requirement.name_end)
        version = requirement.pin or requirement.spec
        yield Finding(
            "AMD8101",
            requirement.start,
            requirement.end,
            detail=f"only a CUDA index has {requirement.name} {version}",
            fix=Fix(
                "unsafe",
                "drop the CUDA part of the version",
                (Edit(at, at + len(local[0]), ""),),
                reason="an NVIDIA machine may then choose a build for another CUDA version",
            ),
        )
