"""AMD7114: expandable_segments, which ROCm builds of PyTorch have from 2.11 on only."""

from __future__ import annotations

from collections.abc import Iterator

from packaging.version import InvalidVersion, Version

from ...finding import Finding
from ...rules import rule
from ..file import ProjectFile

NAMES = frozenset({"PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF"})


@rule("AMD7114", triggers={"expandable_segments"})
def expandable_segments(file: ProjectFile) -> Iterator[Finding]:
    """Report it with what the PyTorch at hand does."""
    try:
        torch = Version(file.settings.torch) if file.settings.torch else None
    except InvalidVersion:
        torch = None
    if torch is None:
        detail = "ignored with a warning before torch 2.11"
    elif torch < Version("2.11"):
        detail = f"torch {torch} on ROCm ignores it with a warning"
    else:
        detail = "hangs have been reported on some cards"
    if file.mentions("PYTORCH_HIP_ALLOC_CONF"):
        return  # the author sets AMD's own variable as well
    for variable in file.variables:
        if (
            variable.name in NAMES
            and "expandable_segments:true" in variable.value.lower().replace(" ", "")
            and not variable.guarded
            and not file.for_one_vendor
        ):
            yield Finding("AMD7114", variable.start, variable.end, detail=detail)
