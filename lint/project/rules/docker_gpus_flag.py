"""AMD7102: containers that get their GPUs through --gpus or the nvidia runtime."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from .. import switch
from ..file import ProjectFile
from ..shell import Command

DEVICES = "--device=/dev/kfd --device=/dev/dri --group-add=video"
_PROGRAMS = frozenset({"docker", "podman", "nerdctl", "nvidia-docker", "nvidia-docker2"})
REASON = "NVIDIA machines would then start the container without a GPU"


@rule("AMD7102", triggers={"gpus", "nvidia"})
def docker_gpus_flag(file: ProjectFile) -> Iterator[Finding]:
    """Report the flag in scripts, workflow containers and devcontainers."""
    if file.for_both:
        return
    for command in file.commands:
        if not command.guarded:
            yield from _command(file, command)
    if file.role == "workflow":
        for node in file.nodes():
            if node.key == "options" and node.kind == "scalar" and "container" in node.path():
                start, end = file.inner_span(node)
                for match in re.compile(r"--gpus[ =](?:\"[^\"]*\"|'[^']*'|[^\s\"']+)").finditer(
                    file.text, start, end
                ):
                    edit = Edit(match.start(), match.end(), DEVICES)
                    yield Finding(
                        "AMD7102",
                        match.start(),
                        match.end(),
                        detail="no such device driver on an AMD runner",
                        fix=Fix("unsafe", "pass the AMD device files", (edit,), reason=REASON),
                    )
    if file.role == "devcontainer":
        yield from _devcontainer(file)


def _command(file: ProjectFile, command: Command) -> Iterator[Finding]:
    if command.name not in _PROGRAMS:
        return
    values = [w.value for w in command.words]
    if not {"run", "create"} & set(values):
        return
    words = command.words
    for i, word in enumerate(words):
        value = word.value
        if value == "--gpus" and i + 1 < len(words):
            start, end = word.start, words[i + 1].end
        elif value.startswith("--gpus=") or value == "--runtime=nvidia":
            start, end = word.start, word.end
        elif value == "--runtime" and i + 1 < len(words) and words[i + 1].value == "nvidia":
            start, end = word.start, words[i + 1].end
        elif i == command.name_index and value.startswith("nvidia-docker"):
            yield Finding("AMD7102", word.start, word.end, detail="starts containers for NVIDIA GPUs only")
            continue
        else:
            continue
        yield Finding(
            "AMD7102",
            start,
            end,
            detail="no such device driver on an AMD machine",
            fix=_choose(file, command, start, end),
        )


def _choose(file: ProjectFile, command: Command, start: int, end: int) -> Fix | None:
    """Choose the flags at run time, in a variable that is expanded without quotes."""
    span = switch.statement(file, command)
    flags = file.source.text(start, end)
    if span is None or re.search(r"[\"'$\\\n]", flags) or re.search(r"gpu_flags|\bIFS=", file.text):
        return Fix("display", "on AMD pass the device files instead", paste=DEVICES)
    newline = file.source.newline
    lead = file.source.text(span[0], command.start)
    step = "\t" if "\t" in lead else "  "
    head = (
        f'{lead}if {switch.ON_AMD}; then{newline}{lead}{step}gpu_flags="{DEVICES}"{newline}{lead}else{newline}'
        f'{lead}{step}gpu_flags="{flags}"{newline}{lead}fi{newline}'
    )
    edits = (Edit(span[0], span[0], head), Edit(start, end, "$gpu_flags"))
    return Fix("safe", "choose the flags by the machine's GPU", edits)


def _devcontainer(file: ProjectFile) -> Iterator[Finding]:
    for node in file.nodes():
        if node.key != "runArgs" or node.kind != "seq":
            continue
        for i, child in enumerate(node.children):
            if child.value == "--gpus" and i + 1 < len(node.children):
                end = node.children[i + 1].end
            elif child.value.startswith("--gpus="):
                end = child.end
            else:
                continue
            edit = Edit(child.start, end, '"--device=/dev/kfd", "--device=/dev/dri", "--group-add=video"')
            yield Finding(
                "AMD7102",
                child.start,
                end,
                detail="no such device driver on an AMD machine",
                fix=Fix("unsafe", "pass the AMD device files", (edit,), reason=REASON),
            )
