"""AMD6110: FlashInfer from PyPI."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import edits, packages
from ..file import ProjectFile

NAMES = r"flashinfer|flashinfer-python|flashinfer-cubin|flashinfer-jit-cache"


@rule("AMD6110", triggers={"flashinfer", "flashinfer_python"})
def flashinfer_package(file: ProjectFile) -> Iterator[Finding]:
    """Report it."""
    for requirement in packages.asked(file, NAMES):
        edit = edits.remove(file, requirement)
        fix = (
            Fix("unsafe", "leave it out", (edit,), reason="NVIDIA machines lose FlashInfer's kernels")
            if edit and requirement.form in ("line", "toml")
            else None
        )
        yield Finding(
            "AMD6110", requirement.start, requirement.end, detail="compiles CUDA kernels at run time", fix=fix
        )
