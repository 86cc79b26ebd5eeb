"""AMD7100: a container image that holds the CUDA stack of NVIDIA."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from .. import images
from ..file import ProjectFile
from ..images import ImageUse

REASON = "NVIDIA users who take the default would then get the ROCm image"


@rule("AMD7100", triggers={"nvidia", "nvcr"})
def nvidia_base_image(file: ProjectFile) -> Iterator[Finding]:
    """Report images of nvidia/cuda and of nvcr.io."""
    for use in images.uses(file):
        if images.kind_of_image(use.image) == "nvidia":
            yield Finding(
                "AMD7100",
                use.start,
                use.end,
                detail="holds the CUDA stack only",
                fix=portable_base(file, use),
            )


def portable_base(file: ProjectFile, use: ImageUse) -> Fix | None:
    """Let a build argument choose between the old image and a ROCm image.

    Only for a Dockerfile with a single base image written in its FROM line: BuildKit then builds the
    chosen stage and leaves the other one alone.
    """
    stages = file.dockerfile.stages
    if file.kind != "dockerfile":
        return None
    if use.stage is not None and use.start != use.stage.start:
        return Fix(
            "unsafe",
            "default to a ROCm image",
            (Edit(use.start, use.end, "rocm/pytorch:latest"),),
            reason=REASON,
        )
    if (
        use.stage is None
        or "$" in use.stage.image
        or "--platform" in file.text[use.stage.instruction.start : use.start]
    ):
        return None
    if [s.image for s in stages].count(use.stage.image) != 1 or any(
        a.name == "GPU_VENDOR" for a in file.dockerfile.args
    ):
        return Fix(
            "unsafe",
            "build on a ROCm image",
            (Edit(use.start, use.end, "rocm/pytorch:latest"),),
            reason=REASON,
        )
    if any(s.name in ("base-nvidia", "base-amd") for s in stages):
        return None
    first = stages[0].instruction
    newline = file.source.newline
    line = file.text.rfind("\n", 0, first.start) + 1
    arguments = f"ARG NVIDIA_IMAGE={use.stage.image}{newline}ARG GPU_VENDOR=nvidia{newline}"
    bases = (
        f"FROM ${{NVIDIA_IMAGE}} AS base-nvidia{newline}FROM rocm/pytorch:latest AS base-amd{newline}"
        "FROM base-${GPU_VENDOR}"
    )
    edits: tuple[Edit, ...] = (Edit(line, line, arguments), Edit(use.stage.instruction.start, use.end, bases))
    if line == use.stage.instruction.start:
        edits = (Edit(line, use.end, arguments + bases),)
    return Fix("safe", "choose the base image with --build-arg GPU_VENDOR=amd; the default stays", edits)
