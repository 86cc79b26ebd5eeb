"""Container images that a project names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .dockerfile import Stage
from .file import ProjectFile

NVIDIA = re.compile(r"(?:docker\.io/)?nvidia/(?:cuda|cudagl|opengl|pytorch)\b|nvcr\.io[/#]", re.IGNORECASE)
PYTORCH = re.compile(r"(?:docker\.io/)?pytorch/pytorch(?::|$|@)", re.IGNORECASE)
# Any other image whose own tag or name says that it holds a CUDA build.
TAGGED = re.compile(r"[:/_.-](?:cuda[\d.]*|cu1[0-4]\d)(?=$|[-_.:/])", re.IGNORECASE)
_AMD = re.compile(r"rocm|amd", re.IGNORECASE)
_IMAGE = re.compile(r"[\w./#-]+(?::[\w.-]+)?(?:@sha256:[0-9a-f]+)?")


@dataclass(frozen=True, slots=True)
class ImageUse:
    """One image name with its span; ``stage`` when a Dockerfile starts a stage from it."""

    image: str
    start: int
    end: int
    stage: Stage | None = None


def kind_of_image(image: str) -> str | None:
    """``nvidia``, ``pytorch`` or ``tagged`` for an image that holds the CUDA stack."""
    if _AMD.search(image):
        return None
    if NVIDIA.match(image):
        return "nvidia"
    if PYTORCH.match(image):
        return "pytorch"
    return "tagged" if TAGGED.search(image) else None


def uses(file: ProjectFile) -> Iterator[ImageUse]:
    """Every image the file runs or builds on, outside guards; nothing in files that serve both vendors."""
    if file.for_both:
        return
    if file.kind == "dockerfile":
        yield from _stages(file)
    elif file.role in ("compose", "kubernetes", "workflow", "ci", "devcontainer"):
        for node in file.nodes():
            if node.kind == "scalar" and (
                node.key in ("image", "CUDA_IMAGE", "BASE_IMAGE")
                or (node.key == "container" and file.role == "workflow")
            ):
                start, end = file.inner_span(node)
                if not (
                    node.parent is not None and node.parent.parent is not None and "matrix" in node.path()
                ):
                    yield ImageUse(node.value, start, end)
    for command in file.commands:
        if command.guarded:
            continue
        for word in command.words:
            value = word.value
            for prefix in ("docker://", "--container-image=", "nvcr.io", "nvidia/cuda", "pytorch/pytorch"):
                if value.startswith(prefix):
                    image = value.removeprefix(prefix) if prefix[-1] in "/=" else value
                    at = word.start + word.raw.index(image) if image in word.raw else word.start
                    if _IMAGE.match(image):
                        yield ImageUse(image, at, at + len(image))
                    break
    if file.kind == "shell":
        for match in re.finditer(r"^#SBATCH[ \t]+--container-image[= ]([^\s]+)", file.text, re.MULTILINE):
            yield ImageUse(match[1], match.start(1), match.end(1))


def _stages(file: ProjectFile) -> Iterator[ImageUse]:
    names = {s.name for s in file.dockerfile.stages if s.name}
    for stage in file.dockerfile.stages:
        image, arg = file.dockerfile.resolve(stage.image)
        if image in names:
            continue
        if arg is not None and arg.value == image:
            yield ImageUse(image, arg.start, arg.end, stage)
        else:
            yield ImageUse(image, stage.start, stage.end, stage)
