"""AMD6101: a prebuilt FlashAttention wheel for CUDA, named by its address."""

from __future__ import annotations

import re
from collections.abc import Iterator

from packaging.version import InvalidVersion, Version

from ...finding import Finding, Fix
from ...rules import rule
from .. import edits, packages
from ..file import ProjectFile

_CUDA = re.compile(r"(?:\+|%2B)(?:pt\d+)?cu\d{2,3}", re.IGNORECASE)
_VERSION = re.compile(r"-(\d[\w.]*?)(?:\+|%2B)", re.IGNORECASE)
FIRST_WITH_ROCM = Version("2.6.2")


@rule("AMD6101", triggers={"flash_attn", "flash"})
def flash_attn_cuda_wheel(file: ProjectFile) -> Iterator[Finding]:
    """Report the wheel; a plain requirement builds from source, also on ROCm."""
    for requirement in packages.asked(file, "flash-attn|flash-attn-3"):
        address = requirement.url
        if not address.split("#")[0].endswith(".whl") or not _CUDA.search(address):
            continue
        found = _VERSION.search(address.rsplit("/", 1)[-1])
        fix = None
        try:
            version = Version(found[1]) if found else None
        except InvalidVersion:
            version = None
        if version is not None and version >= FIRST_WITH_ROCM and requirement.name == "flash-attn":
            fix = Fix(
                "unsafe",
                "build this version from source",
                (edits.replace(requirement, f"flash-attn=={version}"),),
                reason="NVIDIA machines then need a compiler, or the wheel that setup.py finds for them",
            )
        yield Finding("AMD6101", requirement.start, requirement.end, detail="a binary for CUDA", fix=fix)
