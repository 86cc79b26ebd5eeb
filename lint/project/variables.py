"""Rules on environment variables: set AMD's variable beside NVIDIA's."""

from __future__ import annotations

from ..finding import Edit
from . import edits
from .file import ProjectFile, Variable


def beside(file: ProjectFile, variable: Variable, name: str, value: str) -> Edit | None:
    """Set another variable in the same notation, next to this one; None where the place is unclear."""
    line_start = file.text.rfind("\n", 0, variable.start) + 1
    line_end = file.text.find("\n", variable.end)
    line_end = len(file.text) if line_end < 0 else line_end
    before = file.text[line_start : variable.start].strip()
    after = file.text[variable.end : line_end].strip()
    pair = f"{name}={value}"
    match variable.where:
        case "export" if before == "export" and not after:
            return edits.line_after(file, variable.end, f"export {pair}")
        case "export" | "prefix" if variable.start and file.text[variable.start - 1] in " \t\n":
            return Edit(variable.end, variable.end, f" {pair}")
        case "prefix":
            return Edit(variable.end, variable.end, f" {pair}") if variable.start == 0 else None
        case "env" if before.upper() == "ENV" and "=" not in file.text[variable.start : variable.value_start]:
            return edits.line_after(file, variable.end, f"ENV {name} {value}")
        case "env":
            return Edit(variable.end, variable.end, f" {pair}")
        case "item" if before in ("-", '- "', "- '"):
            quote = before[2:]
            return edits.line_after(file, variable.end, f"- {quote}{pair}{quote}")
        case "mapping" if not before and file.kind in ("yaml", "conda"):
            return edits.line_after(file, variable.end, f'{name}: "{value}"')
    return None
