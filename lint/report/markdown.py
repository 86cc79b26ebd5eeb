"""A table for a pull-request comment or a job summary."""

from __future__ import annotations

from collections.abc import Sequence

from . import Item, plural


def render(found: Sequence[Item], **_: object) -> str:
    if not found:
        return "amdlint: nothing to report."
    lines = ["| Place | Code | What happens on ROCm | Fix |", "| --- | --- | --- | --- |"]
    for item in found:
        place = f"`{item.path.as_posix()}:{item.start.row}`"
        fix = f"{item.fix.message} ({item.fix.applicability})" if item.fix else ""
        lines.append(
            f"| {place} | [{item.code}]({item.url}) {item.severity} | {_cell(item.message)} | {_cell(fix)} |"
        )
    return "\n".join([*lines, "", f"{plural(len(found), 'finding')}."])


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
