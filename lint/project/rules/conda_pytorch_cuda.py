"""AMD8103: a conda environment that asks for the CUDA build of PyTorch."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from .. import packages
from ..file import ProjectFile
from ..requirements import Requirement

REASON = "NVIDIA machines would then get the ROCm build from pip instead of conda's CUDA build"


@rule("AMD8103", triggers={"pytorch", "nvidia"})
def conda_pytorch_cuda(file: ProjectFile) -> Iterator[Finding]:
    """Report pytorch-cuda, cuda builds of pytorch and the nvidia channel that serves them."""
    asked = [r for r in packages.asked(file, r"pytorch-cuda|pytorch|pytorch-gpu") if r.form == "conda"]
    cuda = [r for r in asked if r.name != "pytorch" or re.search(r"cuda|cu\d{2}", r.spec)]
    if not cuda:
        return
    fix = _move_to_pip(file, asked) if file.kind == "conda" else None
    for document in file.documents:
        channels = document.get("channels")
        for channel in channels.children if channels is not None else ():
            if channel.value == "nvidia":
                yield Finding("AMD8103", channel.start, channel.end, detail="serves CUDA packages", fix=fix)
    for requirement in cuda:
        yield Finding(
            "AMD8103", requirement.start, requirement.end, detail="chooses the CUDA build of PyTorch", fix=fix
        )


def _move_to_pip(file: ProjectFile, asked: list[Requirement]) -> Fix | None:
    """Take PyTorch from pip's ROCm index, where the file is of the usual block form."""
    root = file.documents[0]
    dependencies = root.get("dependencies")
    channels = root.get("channels")
    pip = next((p for c in (dependencies.children if dependencies else ()) if (p := c.get("pip"))), None)
    if dependencies is None or dependencies.style or pip is None or pip.style or not pip.children:
        return None
    edits: list[Edit] = []
    torch: list[str] = []
    for item in dependencies.children:
        found = re.fullmatch(
            r"(pytorch-cuda|pytorch-gpu|pytorch|torchvision|torchaudio|pytorch-mutex)\s*(?:={1,2}\s*([\d.]+))?.*",
            item.value,
        )
        if item.kind == "scalar" and found:
            edits.append(_line(file, item.start))
            name = {"pytorch": "torch", "pytorch-gpu": "torch"}.get(found[1], found[1])
            if name in ("torch", "torchvision", "torchaudio"):
                torch.append(name + (f"=={found[2]}" if found[2] and found[2].count(".") == 2 else ""))
    if channels is not None and not channels.style:
        edits += [_line(file, c.start) for c in channels.children if c.value == "nvidia"]
    first = file.text.rfind("\n", 0, pip.children[0].start) + 1
    lead = re.match(r"[ \t]*", file.text[first:])
    indent = lead[0] if lead else ""
    index = packages.rocm_index(file)
    if index is None:
        return None
    rows = [
        f"--index-url https://download.pytorch.org/whl/{index}",
        "--extra-index-url https://pypi.org/simple",
        *torch,
    ]
    edits.append(Edit(first, first, "".join(f"{indent}- {row}{file.source.newline}" for row in rows)))
    return Fix("unsafe", f"take PyTorch from pip's {index} index", tuple(edits), reason=REASON)


def _line(file: ProjectFile, at: int) -> Edit:
    begin = file.text.rfind("\n", 0, at) + 1
    stop = file.text.find("\n", at)
    return Edit(begin, len(file.text) if stop < 0 else stop + 1, "")
