"""AMD6117: TensorFlow with its CUDA libraries."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from .. import packages
from ..file import ProjectFile


@rule("AMD6117", triggers={"tensorflow"})
def tensorflow_cuda_extra(file: ProjectFile) -> Iterator[Finding]:
    """Report tensorflow[and-cuda] and tensorflow-gpu."""
    for requirement in packages.asked(file, "tensorflow|tensorflow-gpu"):
        if requirement.name == "tensorflow-gpu" or "and-cuda" in requirement.extras:
            yield Finding("AMD6117", requirement.start, requirement.end, detail="a CUDA build")
