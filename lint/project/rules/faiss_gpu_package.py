"""AMD6115: FAISS built for CUDA."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import edits, packages
from ..file import ProjectFile

NAMES = r"faiss-gpu(?:-cu\d\d|-cuvs|-raft)?"


@rule("AMD6115", triggers={"faiss", "faiss_gpu"})
def faiss_gpu_package(file: ProjectFile) -> Iterator[Finding]:
    """Report it; the CPU package has the same import name."""
    for requirement in packages.asked(file, NAMES):
        fix = Fix(
            "unsafe",
            "ask for the CPU package",
            (edits.replace(requirement, "faiss-cpu"),),
            reason="NVIDIA machines would then search on the CPU",
        )
        yield Finding("AMD6115", requirement.start, requirement.end, detail="a CUDA build", fix=fix)
