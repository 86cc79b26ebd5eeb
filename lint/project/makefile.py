"""Read a Makefile: variables and recipe lines with byte spans, and the conditionals around them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_VARIABLE = re.compile(r"[ ]*(?:export[ \t]+|override[ \t]+)?([\w.-]+)[ \t]*(\?=|:=|::=|\+=|=)[ \t]*")
_CONDITIONAL = re.compile(r"[ \t]*(ifeq|ifneq|ifdef|ifndef)\b(.*)")
_ELSE = re.compile(r"[ \t]*else\b[ \t]*(.*)")
_ENDIF = re.compile(r"[ \t]*endif\b")
_DEFINE = re.compile(r"[ ]*define\b")
_TARGET = re.compile(r"[^\s#=:][^#=:]*(?::(?!=)|&:)")


@dataclass(frozen=True, slots=True)
class Line:
    """A variable assignment or a recipe line (continuations included); the span is the value's or command's."""

    kind: str
    name: str
    operator: str
    value: str
    start: int
    end: int
    line_start: int
    conditions: tuple[str, ...]


@dataclass(slots=True)
class Makefile:
    lines: list[Line] = field(default_factory=list)

    @property
    def variables(self) -> list[Line]:
        return [x for x in self.lines if x.kind == "variable"]

    @property
    def recipes(self) -> list[Line]:
        return [x for x in self.lines if x.kind == "recipe"]

    def value(self, name: str) -> str:
        """All values that a variable gets, joined."""
        return " ".join(x.value for x in self.variables if x.name == name)


def parse(text: str) -> Makefile:
    """Parse a Makefile; recipes know the target that they belong to by ``name``."""
    file = Makefile()
    stack: list[str] = []
    at, target = 0, ""
    while at < len(text):
        start = at
        end = _line_end(text, at)
        line = text[start:end]
        at = end + 1
        if line.startswith("\t"):
            body = start + len(line) - len(line.lstrip("\t @-+"))
            if not text[body:end].lstrip().startswith("#") and not _CONDITIONAL.match(line):
                file.lines.append(Line("recipe", target, "", text[body:end], body, end, start, tuple(stack)))
                continue
        if line.lstrip().startswith("#"):
            continue
        if match := _CONDITIONAL.match(line):
            stack.append(match[0])
        elif match := _ELSE.match(line):
            if stack:
                stack[-1] += " " + match[0]
        elif _ENDIF.match(line):
            if stack:
                stack.pop()
        elif match := _VARIABLE.match(text, start, end):
            comment = re.search(r"(?<![\\$])[ \t]#", text[match.end() : end])
            stop = match.end() + comment.start() if comment else end
            value = text[match.end() : stop].rstrip()
            file.lines.append(
                Line(
                    "variable",
                    match[1],
                    match[2],
                    value,
                    match.end(),
                    match.end() + len(value),
                    start,
                    tuple(stack),
                )
            )
        elif _TARGET.match(line):
            target = line.partition(":")[0].strip()
            semicolon = line.find(";")
            if semicolon >= 0:
                file.lines.append(
                    Line(
                        "recipe",
                        target,
                        "",
                        line[semicolon + 1 :],
                        start + semicolon + 1,
                        end,
                        start,
                        tuple(stack),
                    )
                )
    return file


def _line_end(text: str, at: int) -> int:
    while True:
        end = text.find("\n", at)
        if end < 0:
            return len(text)
        if not text[at:end].rstrip("\r").endswith("\\"):
            return end
        at = end + 1
