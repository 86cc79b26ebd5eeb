"""AMD6103: a version range of bitsandbytes that has no ROCm binaries."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from .. import packages
from ..file import ProjectFile

# Releases whose wheels hold ROCm libraries. A range that admits one of them works.
WITH_ROCM = ("0.49.0", "0.49.1", "0.49.2", "0.50.0", "0.50.1", "0.50.2")


@rule("AMD6103", triggers={"bitsandbytes"})
def bitsandbytes_before_rocm(file: ProjectFile) -> Iterator[Finding]:
    """Report pins and upper bounds below 0.49.0."""
    for requirement in packages.asked(file, "bitsandbytes"):
        if requirement.url or requirement.allows(WITH_ROCM):
            continue
        fix = None
        if requirement.form in ("line", "toml", "command", "conda-pip"):
            fix = Fix(
                "unsafe",
                "ask for a release with ROCm libraries",
                (Edit(requirement.name_end, requirement.end, ">=0.49.2"),),
                reason="NVIDIA machines get the newer release as well",
            )
        yield Finding(
            "AMD6103",
            requirement.start,
            requirement.end,
            detail=f"wheels of {requirement.spec.strip()} hold no ROCm library",
            fix=fix,
        )
