"""AMD6121: a version range of flash-attn that cannot be built on ROCm."""

from __future__ import annotations

import re
from collections.abc import Iterator

from packaging.version import InvalidVersion, Version

from ...finding import Edit, Finding, Fix
from ...rules import rule
from .. import packages
from ..file import ProjectFile

FIRST_WITH_ROCM = Version("2.6.2")
_LIMIT = re.compile(r"(===?|<=|<|~=)\s*([\d.]+\w*)")
_RELEASES = ("2.6.2", "2.6.3", "2.7.3", "2.7.4.post1", "2.8.3")


@rule("AMD6121", triggers={"flash", "flash_attn"})
def flash_attn_before_rocm(file: ProjectFile) -> Iterator[Finding]:
    """Report pins and upper bounds below 2.6.2."""
    for requirement in packages.asked(file, "flash-attn"):
        if requirement.url or requirement.allows(_RELEASES) or not _too_old(requirement.spec):
            continue
        fix = None
        if requirement.form in ("line", "toml", "command", "conda-pip"):
            fix = Fix(
                "unsafe",
                "ask for a release with AMD back ends",
                (Edit(requirement.name_end, requirement.end, ">=2.8.3"),),
                reason="NVIDIA machines get the newer release as well",
            )
        yield Finding(
            "AMD6121",
            requirement.start,
            requirement.end,
            detail=f"{requirement.spec.strip()} has no AMD back end: that came with 2.6.2",
            fix=fix,
        )


def _too_old(spec: str) -> bool:
    """Whether a pin or an upper bound keeps every release with AMD back ends away."""
    for operator, text in _LIMIT.findall(spec):
        try:
            limit = Version(text)
        except InvalidVersion:
            return False
        if limit < FIRST_WITH_ROCM or (operator == "<" and limit == FIRST_WITH_ROCM):
            return True
    return False
