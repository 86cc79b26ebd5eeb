"""AMD7111: NVIDIA's profilers in a script."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import switch
from ..file import ProjectFile
from ..shell import Command, Word

PROGRAMS = frozenset(
    {"nsys", "ncu", "nvprof", "nv-nsight-cu-cli", "compute-sanitizer", "cuda-memcheck", "cuda-gdb"}
)
# Options with a value of their own; any other option makes the fix give up.
_VALUED = frozenset(
    [
        "-t",
        "--trace",
        "-o",
        "--output",
        "-w",
        "--show-output",
        "-f",
        "--force-overwrite",
        "-s",
        "--sample",
        "--set",
        "-c",
        "--launch-count",
        "-k",
        "--kernel-name",
        "--capture-range",
        "--capture-range-end",
        "-x",
        "--stop-on-exit",
        "--cuda-memory-usage",
        "--gpu-metrics-device",
        "-y",
        "--delay",
        "-d",
        "--duration",
        "--cudabacktrace",
        "--stats",
        "--section",
        "--metrics",
        "--export",
        "-s",
        "--launch-skip",
        "--python-sampling",
        "--pytorch",
    ]
)
_FLAGS = frozenset({"--force-overwrite", "-f"})


@rule(
    "AMD7111",
    triggers={"nsys", "ncu", "nvprof", "compute-sanitizer", "sanitizer", "memcheck", "gdb", "nsight"},
)
def nsight_profiler_command(file: ProjectFile) -> Iterator[Finding]:
    """Report the commands; the fix profiles the same program with ROCm's tool where NVIDIA's is not installed."""
    if file.for_both:
        return
    for command in file.commands:
        if command.guarded or command.name not in PROGRAMS:
            continue
        word = command.words[command.name_index]
        yield Finding(
            "AMD7111", word.start, word.end, detail="profiles NVIDIA GPUs only", fix=_fix(file, command)
        )


def _fix(file: ProjectFile, command: Command) -> Fix | None:
    words = list(command.arguments)
    if command.name == "nsys":
        if not words or words[0].value != "profile":
            return None
        words = words[1:]
    elif command.name != "ncu":
        return None
    program, output = _program(words, command.name)
    if not program or command.name_index:
        return None
    run = file.source.text(program[0].start, command.end)
    if "\n" in run and "\\" not in run:
        return None
    prefix = "".join(w.raw + " " for w in command.assignments)
    directory = f" -d {output}" if output else ""
    if command.name == "nsys":
        twin = f"{prefix}rocprofv3 --sys-trace{directory} -- {run}"
    else:
        twin = f"{prefix}rocprofv3 --kernel-trace{directory} -- {run}"
    tool = command.name
    edit = switch.choose(
        file,
        command,
        twin,
        condition=f"command -v rocprofv3 >/dev/null 2>&1 && ! command -v {tool} >/dev/null 2>&1",
    )
    return Fix("safe", f"use rocprofv3 where {tool} is not installed", (edit,)) if edit else None


def _program(words: list[Word], tool: str) -> tuple[list[Word], str]:
    """The profiled program's words and the output name; no words when an option is unknown."""
    output = ""
    i = 0
    while i < len(words):
        value = words[i].value
        if not value.startswith("-"):
            return words[i:], output
        name, equals, given = value.partition("=")
        if name not in _VALUED and not equals:
            return [], ""
        if name in ("-o", "--output"):
            output = given if equals else (words[i + 1].raw if i + 1 < len(words) else "")
        if equals or (name in _FLAGS and i + 1 < len(words) and words[i + 1].value not in ("true", "false")):
            i += 1
        else:
            i += 2
    return [], ""
