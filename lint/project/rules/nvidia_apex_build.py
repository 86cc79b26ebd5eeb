"""AMD6120: Apex built from NVIDIA's repository."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from ..file import ProjectFile

_REPOSITORY = re.compile(
    r"(?<![\w/-])(?:git\+)?(https?://github\.com/|git@github\.com:)(NVIDIA/apex)(?![\w-])", re.IGNORECASE
)


@rule("AMD6120", triggers={"apex"})
def nvidia_apex_build(file: ProjectFile) -> Iterator[Finding]:
    """Report the repository's address in install commands and requirements."""
    if file.for_both or file.kind in ("json", "cmake"):
        return
    for match in _REPOSITORY.finditer(file.code):
        if file.guarded(match.start()):
            continue
        yield Finding(
            "AMD6120",
            match.start(),
            match.end(),
            detail="NVIDIA's Apex does not build on ROCm",
            fix=Fix(
                "unsafe",
                "build AMD's fork",
                (Edit(match.start(2), match.end(2), "ROCm/apex"),),
                reason="the fork is meant for AMD GPUs",
            ),
        )
