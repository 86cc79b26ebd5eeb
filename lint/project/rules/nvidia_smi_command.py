"""AMD7110: a script that runs nvidia-smi."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import switch
from ..file import ProjectFile
from ..shell import Command

_RUNNERS = frozenset(
    {"srun", "watch", "timeout", "mpirun", "xargs", "ssh", "pdsh", "docker", "podman", "kubectl"}
)


@rule("AMD7110", triggers={"nvidia"})
def nvidia_smi_command(file: ProjectFile) -> Iterator[Finding]:
    """Report the commands; only a bare listing can be replaced by a twin."""
    if file.for_both or file.kind == "make":
        return
    for command in file.commands:
        if command.guarded or not command.words:
            continue
        word = command.words[command.name_index]
        if command.name != "nvidia-smi":
            inner = [w for w in command.arguments if w.value == "nvidia-smi"]
            if command.name not in _RUNNERS or not inner:
                continue
            word = inner[0]
        yield Finding(
            "AMD7110", word.start, word.end, detail="not found on an AMD machine", fix=_fix(file, command)
        )
    for instruction in file.dockerfile.instructions:
        if instruction.name in ("CMD", "ENTRYPOINT", "HEALTHCHECK"):
            body = file.code[instruction.body : instruction.end]
            found = re.match(r"(?:\s|--\S+|CMD|\[|[\"'])*(?<![\w-])(nvidia-smi)(?![\w-])", body)
            if found and "||" not in body:
                at = instruction.body + found.start(1)
                yield Finding("AMD7110", at, at + 10, detail="not found in a ROCm image")
    if file.role == "compose":
        for node in file.nodes():
            if node.kind == "scalar" and re.match(r"(?:CMD(?:-SHELL)?\s+)?nvidia-smi\b", node.value):
                yield Finding("AMD7110", node.start, node.end, detail="not found on an AMD machine")


def _fix(file: ProjectFile, command: Command) -> Fix | None:
    arguments = [w.value for w in command.arguments]
    if command.name == "nvidia-smi" and not command.nested:
        twin = {(): "amd-smi list", ("-L",): "amd-smi list", ("topo", "-m"): "amd-smi topology"}.get(
            tuple(arguments)
        )
        edit = switch.choose(file, command, twin) if twin else None
        if edit:
            return Fix("safe", f"run {twin} on machines with AMD GPUs", (edit,))
    text = file.text[command.start : command.end]
    following = file.text[command.end : command.end + 40]
    if re.search(r"query-gpu=name\b", text) and not re.match(r"\s*\|\s*wc\s+-l", following):
        return Fix(
            "display", "ask torch for the name: it knows both vendors",
            paste='python -c "import torch; print(torch.cuda.get_device_name(0))"',
        )  # fmt: skip
    if re.search(r"-L\b|query-gpu=(?:name|index|count)", text) and re.match(
        r"\s*\|\s*wc\s+-l|\s*\|\s*head", following
    ):
        return Fix(
            "display", "count the GPUs in a way that both vendors know",
            paste='python -c "import torch; print(torch.cuda.device_count())"',
        )  # fmt: skip
    return Fix("display", "AMD's tool", paste="amd-smi list")
