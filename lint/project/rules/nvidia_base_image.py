"""AMD7100: a container image that holds the CUDA stack of NVIDIA."""

from __future__ import annotations

import re
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

    Only where rocm/pytorch can stand in for the image, and for a base that one FROM line names: BuildKit
    then builds the chosen stage and leaves the other one alone.
    """
    if not _REPLACEABLE.match(use.image):
        return None
    if file.kind == "yaml":
        edit = Edit(use.start, use.end, "rocm/pytorch:latest")
        return Fix(
            "unsafe", "run in a ROCm image", (edit,), reason="the container then serves AMD machines only"
        )
    if use.stage is None:
        return None
    stages, stage = file.dockerfile.stages, use.stage
    if use.start != stage.start:
        edit = Edit(use.start, use.end, "rocm/pytorch:latest")
        return Fix("unsafe", "default to a ROCm image", (edit,), reason=REASON)
    taken = {s.name for s in stages} & {"base-nvidia", "base-amd"} or "GPU_VENDOR" in file.text
    if "$" in stage.image or "--platform" in file.text[stage.instruction.start : use.start] or taken:
        return None
    if [s.image for s in stages].count(stage.image) != 1:
        edit = Edit(use.start, use.end, "rocm/pytorch:latest")
        return Fix("unsafe", "build on a ROCm image", (edit,), reason=REASON)
    newline = file.source.newline
    line = file.text.rfind("\n", 0, stages[0].instruction.start) + 1
    arguments = f"ARG NVIDIA_IMAGE={stage.image}{newline}ARG GPU_VENDOR=nvidia{newline}"
    bases = (
        f"FROM ${{NVIDIA_IMAGE}} AS base-nvidia{newline}FROM rocm/pytorch:latest AS base-amd{newline}"
        "FROM base-${GPU_VENDOR}"
    )
    edits: tuple[Edit, ...] = (Edit(line, line, arguments), Edit(stage.instruction.start, use.end, bases))
    if line == stage.instruction.start:
        edits = (Edit(line, use.end, arguments + bases),)
    message = "choose the base image with --build-arg GPU_VENDOR=amd; the default stays"
    if _installs_cuda(file):
        return Fix(
            "unsafe", message, edits, reason="later steps still install for CUDA and fail in the ROCm image"
        )
    if any(r.name in ("torch", "pytorch", "torchvision", "torchaudio") for r in file.requirements):
        reason = "a later step installs PyTorch and would replace the ROCm build of the image"
        return Fix("unsafe", message, edits, reason=reason)
    return Fix("safe", message, edits)


# Images that hold nothing but a system, the toolkit and perhaps PyTorch.
_REPLACEABLE = re.compile(
    r"(?:docker\.io/)?nvidia/cuda:|nvcr\.io/nvidia/(?:cuda|pytorch):|(?:docker\.io/)?pytorch/pytorch(?::|$|@)"
)


def _installs_cuda(file: ProjectFile) -> bool:
    """Whether a step after the base image speaks of CUDA, so that it cannot run in a ROCm image."""
    return any(
        instruction.name in ("RUN", "ARG", "COPY", "ADD")
        and instruction.stage >= 0
        and re.search(
            r"\bcu\d{2,3}\b|cuda|cudnn|nvidia|nvcc",
            file.code[instruction.start : instruction.end],
            re.IGNORECASE,
        )
        for instruction in file.dockerfile.instructions
    )
