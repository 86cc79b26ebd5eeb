"""AMD2105: the CUDA toolkit installed by apt, dnf, conda or a workflow action."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from .. import packages
from ..file import ProjectFile

_SYSTEM = re.compile(
    r"(?:cuda(?:-(?:toolkit|nvcc|compiler|libraries|command-line-tools|cudart|runtime|minimal-build|drivers|keyring|repo)"
    r"[\w.-]*|-\d+-\d+|-\d+)?|nvidia-cuda-toolkit|nvidia-cuda-dev|libcudnn\d+[\w.+-]*|cudnn\d*(?:-cuda-\d+)?|libnccl2?(?:-dev)?"
    r"|libnvinfer[\w-]*|nvidia-container-toolkit|nvidia-docker2|libnvidia-[\w-]+|nvidia-driver-\d+[\w-]*|libcusparse[\w-]*"
    r"|libcublas[\w-]*|nsight-systems[\w.-]*|nsight-compute[\w.-]*)(?:=.*)?"
)
_CONDA = r"cudatoolkit(?:-dev)?|cuda|cuda-(?:toolkit|nvcc|libraries|libraries-dev|runtime|cudart|cudart-dev|compiler|nvrtc|cccl|version|command-line-tools)|cudnn|nccl"
_ACTION = re.compile(
    r"[\w.-]+/(?:[\w.-]*cuda-?toolkit[\w.-]*|setup-cuda|install-cuda[\w.-]*|cuda-toolkit[\w.-]*)@",
    re.IGNORECASE,
)
_MANAGERS = frozenset({"apt-get", "apt", "aptitude", "dnf", "yum", "microdnf", "zypper"})


@rule(
    "AMD2105",
    triggers={
        "cuda",
        "cudatoolkit",
        "cudnn",
        "nccl",
        "libnccl2",
        "libcudnn8",
        "libcudnn9",
        "libnccl",
        "nvidia",
        "nsight",
    },
)
def cuda_toolkit_install(file: ProjectFile) -> Iterator[Finding]:
    """Report the packages, one finding a line."""
    if file.for_both:
        return
    for requirement in packages.asked(file, _CONDA):
        if requirement.form == "conda":
            yield Finding("AMD2105", requirement.start, requirement.end, detail="cannot drive AMD GPUs")
    for command in file.commands:
        values = [w.value for w in command.arguments]
        if command.name not in _MANAGERS or "install" not in values or command.guarded:
            continue
        rows: set[int] = set()
        for word in command.arguments[values.index("install") + 1 :]:
            row = file.source.position(word.start)[0]
            if _SYSTEM.fullmatch(word.value) and row not in rows:
                rows.add(row)
                yield Finding("AMD2105", word.start, word.end, detail="cannot drive AMD GPUs")
    if file.role == "workflow":
        for node in file.nodes():
            if node.key == "uses" and _ACTION.match(node.value) and not file.guarded(node.start):
                yield Finding("AMD2105", node.start, node.end, detail="installs the CUDA toolkit")
    elif file.role == "devcontainer":
        for node in file.nodes():
            if node.key is not None and re.match(r"[\w.-]+/[\w./-]*/nvidia-cuda(?::|$)", node.key):
                yield Finding("AMD2105", node.key_start, node.key_end, detail="installs the CUDA toolkit")
