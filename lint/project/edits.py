"""Edits that project rules share."""

from __future__ import annotations

import re

import msgspec

from ..finding import Edit, Finding, Fix
from ..source import Source
from .file import ProjectFile
from .requirements import Requirement


def keeping_hashes(source: Source, finding: Finding) -> Finding:
    """The finding, its fix only shown where it edits a requirement with hashes: they are those of the old files."""
    fix = finding.fix
    if fix is None or fix.applicability == "display":
        return finding
    for edit in fix.edits:
        row, last = source.position(edit.start)[0], source.position(edit.end)[0]
        while row > 1 and source.line(row - 1).rstrip().endswith("\\"):
            row -= 1
        while last < len(source.line_starts) and source.line(last).rstrip().endswith("\\"):
            last += 1
        if any("--hash" in source.line(r) for r in range(row, last + 1)):
            paste = fix.paste or fix.edits[0].content
            return msgspec.structs.replace(
                finding, fix=Fix("display", f"{fix.message}, with the hashes of its files", paste=paste)
            )
    return finding


def replace(requirement: Requirement, text: str) -> Edit:
    """Write another requirement in place of this one (its marker stays)."""
    return Edit(requirement.start, requirement.end, text)


def whole_lines(file: ProjectFile, start: int, end: int) -> tuple[int, int]:
    """The span grown to whole lines, the last line end included."""
    begin = file.text.rfind("\n", 0, start) + 1
    stop = file.text.find("\n", max(start, end - 1) if file.text[end - 1 : end] == "\n" else end)
    return begin, len(file.text) if stop < 0 else stop + 1


def indentation(file: ProjectFile, offset: int) -> str:
    """The white space at the start of the line."""
    begin = file.text.rfind("\n", 0, offset) + 1
    found = re.compile(r"[ \t]*").match(file.text, begin)
    return found[0] if found else ""


def remove(file: ProjectFile, requirement: Requirement) -> Edit | None:
    """Take a requirement out together with its line or list item; None where that cannot be done cleanly."""
    begin, stop = whole_lines(file, requirement.start, requirement.end)
    line = file.text[begin:stop]
    if requirement.form == "line":
        return None if "\\" in line or "--hash" in line else Edit(begin, stop, "")
    if requirement.form in ("conda", "conda-pip"):
        if re.match(r"[ \t]*-[ \t]", line) and file.text[begin : requirement.start].strip(" \t-\"'") == "":
            siblings = len(re.findall(r"^[ \t]*-[ \t]", file.text, re.MULTILINE))
            return Edit(begin, stop, "") if siblings > 1 else None
        return None
    if requirement.form == "toml":
        if re.fullmatch(r"[ \t]*[\"'][^\"'\n]*[\"'][ \t]*,?[ \t]*(?:#[^\n]*)?\r?\n", line):
            return Edit(begin, stop, "")
        after = re.compile(r"[\"'][ \t]*,[ \t]*").match(file.text, requirement.end)
        if after:
            return Edit(requirement.start - 1, after.end(), "")
        before = re.search(r",[ \t]*[\"']$", file.text[begin : requirement.start])
        return Edit(begin + before.start(), requirement.end + 1, "") if before else None
    if requirement.form == "command":
        quote = file.text[requirement.start - 1 : requirement.start] in ("'", '"')
        start, end = requirement.start - quote, requirement.end + quote
        if file.text[start - 1 : start] != " " or file.text[end : end + 1] not in (" ", "\n", "", "\r"):
            return None
        return Edit(start - 1, end, "")
    return None


def line_after(file: ProjectFile, offset: int, text: str) -> Edit:
    """A new line with the same indentation below the line of ``offset``."""
    stop = file.text.find("\n", offset)
    newline = file.source.newline
    if stop < 0:
        return Edit(len(file.text), len(file.text), f"{newline}{indentation(file, offset)}{text}")
    return Edit(stop + 1, stop + 1, f"{indentation(file, offset)}{text}{newline}")
