"""The portable rewrites of shell scripts: choose at run time which vendor's command to run.

The AMD side is taken only where the AMD kernel driver is loaded and no NVIDIA tool is installed, so a
machine on which the old script worked runs the old command.
"""

from __future__ import annotations

import re

from ..finding import Edit
from .file import ProjectFile
from .shell import Command

# zsh splits no variables into words, and csh and fish have another syntax.
_SHELL = re.compile(r"#![ \t]*(?:\S*/env(?:[ \t]+-\S+)*[ \t]+)?\S*?\b(?:ba|da|k|mk|a)?sh\b")
ON_AMD = "[ -e /dev/kfd ] && ! command -v nvidia-smi >/dev/null 2>&1"


def statement(file: ProjectFile, command: Command) -> tuple[int, int] | None:
    """The whole lines of a command that is a statement of its own in a script; None otherwise."""
    if file.kind != "shell" or not command.alone or file.path.suffix == ".zsh":
        return None
    if file.text.startswith("#!") and not _SHELL.match(file.text):
        return None
    begin = file.text.rfind("\n", 0, command.start) + 1
    stop = file.text.find("\n", command.end)
    stop = len(file.text) if stop < 0 else stop
    if file.text[begin : command.start].strip(" \t") or "<<" in file.text[command.start : stop]:
        return None
    rest = file.text[command.end : stop].strip()
    return (begin, stop) if not rest or rest.startswith("#") else None


def choose(file: ProjectFile, command: Command, amd: str, *, condition: str = ON_AMD) -> Edit | None:
    """Run ``amd`` on AMD machines and the command as it stands elsewhere."""
    span = statement(file, command)
    if span is None:
        return None
    begin, stop = span
    newline = file.source.newline
    lead = file.source.text(begin, command.start)
    old = file.source.text(begin, stop).rstrip("\r")
    if any("\n" in w.raw and "\\\n" not in w.raw for w in command.words):
        return None  # a quoted string over several lines must not be indented
    step = "\t" if "\t" in lead else "  "
    inner = newline.join(
        step + line if line.strip() else line for line in old.replace("\r\n", "\n").split("\n")
    )
    new = newline.join(lead + step + line for line in amd.split("\n"))
    text = f"{lead}if {condition}; then{newline}{new}{newline}{lead}else{newline}{inner}{newline}{lead}fi"
    tail = "\r" if file.source.text(begin, stop).endswith("\r") else ""
    return Edit(begin, stop, text + tail)


def only_if_installed(file: ProjectFile, command: Command, program: str) -> Edit | None:
    """Run the command only where its program exists."""
    span = statement(file, command)
    if span is None:
        return None
    begin, stop = span
    lead = file.source.text(begin, command.start)
    old = file.source.text(command.start, stop).rstrip("\r")
    if "\n" in old:
        return None
    newline = file.source.newline
    step = "\t" if "\t" in lead else "  "
    tail = "\r" if file.source.text(begin, stop).endswith("\r") else ""
    text = f"{lead}if command -v {program} >/dev/null 2>&1; then{newline}{lead}{step}{old}{newline}{lead}fi"
    return Edit(begin, stop, text + tail)
