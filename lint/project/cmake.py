"""Read CMake commands with their arguments, spans and the conditions around them."""

from __future__ import annotations

import re
from dataclasses import dataclass

_COMMAND = re.compile(r"[ \t]*([A-Za-z_]\w*)[ \t]*\(")
_TOKEN = re.compile(
    r"""#\[(=*)\[.*?\]\1\]|\#[^\n]*|\[(=*)\[.*?\]\2\]|"(?:[^"\\]|\\.)*"|\$<|[()]|[^\s()"#]+""", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Argument:
    text: str
    start: int
    end: int


@dataclass(slots=True)
class CMakeCommand:
    """One command call; ``conditions`` are the texts of the ``if`` chains that it stands in."""

    name: str
    arguments: tuple[Argument, ...]
    start: int
    end: int
    conditions: tuple[str, ...]

    @property
    def words(self) -> list[str]:
        return [a.text.strip('"') for a in self.arguments]


def parse(text: str) -> list[CMakeCommand]:
    """All commands in file order."""
    commands: list[CMakeCommand] = []
    stack: list[str] = []
    at = 0
    while at < len(text):
        line_end = text.find("\n", at)
        line_end = len(text) if line_end < 0 else line_end
        match = _COMMAND.match(text, at)
        if not match:
            at = line_end + 1
            continue
        depth, arguments, end = 1, [], len(text)
        for token in _TOKEN.finditer(text, match.end()):
            piece = token[0]
            if piece.startswith("#"):
                continue
            if piece == "(":
                depth += 1
            elif piece == ")":
                depth -= 1
                if not depth:
                    end = token.end()
                    break
                continue
            arguments.append(Argument(piece, token.start(), token.end()))
        name = match[1].lower()
        condition = " ".join(a.text for a in arguments)
        if name == "if":
            stack.append(condition)
        elif name in ("elseif", "else") and stack:
            stack[-1] += " " + condition
        elif name == "endif" and stack:
            stack.pop()
        elif name in ("function", "macro"):
            stack.append(f"function {arguments[0].text if arguments else ''}")
        elif name in ("endfunction", "endmacro") and stack:
            stack.pop()
        commands.append(CMakeCommand(name, tuple(arguments), match.start(1), end, tuple(stack)))
        at = end
        newline = text.find("\n", at)
        rest = text[at : newline if newline >= 0 else len(text)]
        if not _COMMAND.match(rest):
            at = (newline if newline >= 0 else len(text)) + 1
    return commands
