"""Read a Dockerfile: its instructions with byte spans, its stages and ARG defaults."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_COMMENT_LINE = re.compile(r"^[ \t]*#[^\n]*", re.MULTILINE)
_INSTRUCTION = re.compile(r"[ \t]*([A-Za-z]+)(?=[ \t\n\\]|$)")
_HEREDOC = re.compile(r"<<-?[\"']?(\w+)[\"']?")
_FROM = re.compile(r"[ \t]*FROM[ \t]+(?:--platform=\S+[ \t]+)?(\S+)(?:[ \t]+AS[ \t]+(\S+))?", re.IGNORECASE)
_ARG = re.compile(r"([A-Za-z_]\w*)(?:=(\"[^\"]*\"|'[^']*'|\S*))?")
_REFERENCE = re.compile(r"\$\{([A-Za-z_]\w*)(?::?-([^}]*))?\}|\$([A-Za-z_]\w*)")


@dataclass(slots=True)
class Instruction:
    """One instruction. ``body`` is the span of its arguments, ``stage`` the index of its stage (-1: before any)."""

    name: str
    start: int
    end: int
    body: int
    stage: int = -1


@dataclass(slots=True)
class Stage:
    """One FROM: the image as written, its span, and the stage's name."""

    image: str
    start: int
    end: int
    name: str | None
    instruction: Instruction


@dataclass(slots=True)
class Arg:
    """Default value of an ARG with the value's span; ``stage`` -1 means before the first FROM."""

    name: str
    value: str
    start: int
    end: int
    instruction: Instruction


@dataclass(slots=True)
class Dockerfile:
    """The parts of a Dockerfile. ``shell_text`` is the text in which comment lines are blank."""

    shell_text: str
    instructions: list[Instruction] = field(default_factory=list)
    stages: list[Stage] = field(default_factory=list)
    args: list[Arg] = field(default_factory=list)

    def resolve(self, value: str, *, depth: int = 4) -> tuple[str, Arg | None]:
        """``value`` with the defaults of ARGs before the first FROM filled in, and the last ARG used."""
        used: Arg | None = None
        while depth and "$" in value:
            depth -= 1

            def default(m: re.Match[str]) -> str:
                nonlocal used
                name = m[1] or m[3]
                arg = next((a for a in self.args if a.name == name and a.instruction.stage == -1), None)
                if arg is None:
                    return m[2] or ""
                used = arg
                return arg.value

            value = _REFERENCE.sub(default, value)
        return value, used


def parse(text: str) -> Dockerfile:
    """Parse a Dockerfile; lines that are no instruction are skipped."""
    # Comment lines may stand between continued lines: blank them and their line end's meaning.
    shell_text = _COMMENT_LINE.sub(lambda m: " " * len(m[0]), text)
    file = Dockerfile(shell_text)
    at, length = 0, len(text)
    while at < length:
        stop = shell_text.find("\n", at)
        stop = length if stop < 0 else stop
        match = _INSTRUCTION.match(shell_text, at, stop)
        if not match:
            at = stop + 1
            continue
        end = stop
        while end < length and _continued(shell_text, at, end):
            following = shell_text.find("\n", end + 1)
            end = length if following < 0 else following
        name = match[1].upper()
        if name in ("RUN", "COPY", "ADD"):
            for delimiter in _HEREDOC.findall(shell_text[at:end]):
                close = re.compile(rf"^[ \t]*{delimiter}[ \t]*\r?$", re.MULTILINE).search(text, end + 1)
                end = close.end() if close else length
        instruction = Instruction(name, match.start(1), end, match.end(1), len(file.stages) - 1)
        file.instructions.append(instruction)
        if name == "FROM" and (found := _FROM.match(shell_text, at, end)):
            file.stages.append(Stage(found[1], found.start(1), found.end(1), found[2], instruction))
            instruction.stage = len(file.stages) - 1
        elif name == "ARG":
            for arg in _ARG.finditer(shell_text, instruction.body, end):
                if arg[2] is not None:
                    quoted = arg[2][:1] in "\"'" and len(arg[2]) > 1
                    file.args.append(
                        Arg(
                            arg[1],
                            arg[2].strip("\"'"),
                            arg.start(2) + quoted,
                            arg.end(2) - quoted,
                            instruction,
                        )
                    )
        at = end + 1
    return file


def _continued(text: str, start: int, end: int) -> bool:
    """Whether the instruction goes on after the line end at ``end``; blank lines in between do not end it."""
    lines = text[start:end].split("\n")
    for line in reversed(lines):
        if line.strip():
            return line.rstrip().endswith("\\")
    return False
