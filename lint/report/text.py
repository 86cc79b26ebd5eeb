"""For people: the place, the line with a caret under it, what happens, what to do, where to read on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import click

from . import Item, plural

_COLOURS = {"error": "red", "warning": "yellow", "note": "cyan"}
MAX_LINE = 160


def render(
    found: Sequence[Item], *, color: bool = False, fixed: int = 0, summary: bool = True, **_: object
) -> str:
    style = click.style if color else _plain
    blocks = [_block(item, style) for item in found]
    if summary:
        blocks.append(_summary(found, fixed))
    return "\n".join(blocks)


def _plain(text: str, **_: object) -> str:
    return text


def _block(item: Item, style: Callable[..., str]) -> str:
    cell = f":cell {item.cell}" if item.cell else ""
    place = f"{item.path.as_posix()}{cell}:{item.start.row}:{item.start.column}"
    star = (
        {"safe": " [*]", "unsafe": " [unsafe fix]"}.get(item.fix.applicability, "")
        if item.fixable and item.fix
        else ""
    )
    head = f"{style(place, bold=True)} {style(item.code, fg=_COLOURS[item.severity], bold=True)}{star} {item.title}"
    if item.severity == "note":
        head += style(" (note)", fg="cyan")
    gutter = f"{item.start.row:>5} | "
    line, first, last = _window(item)
    lines = [head, style(gutter, fg="blue") + line]
    caret = " " * first + "^" * max(1, last - first)
    detail = f" {item.detail}" if item.detail else ""
    lines.append(style("      | ", fg="blue") + style(caret + detail, fg=_COLOURS[item.severity]))
    help_ = f"amdlint rule {item.code}"
    if item.fix:
        level = {"safe": "safe", "unsafe": "unsafe, with --unsafe-fixes", "display": "by hand"}[
            item.fix.applicability
        ]
        lines.append(f"  fix: {item.fix.message} ({level})   {style(help_, dim=True)}")
        if item.fix.reason and item.fix.applicability == "unsafe":
            lines.append(f"       why unsafe: {item.fix.reason}")
        if item.fix.paste:
            lines += [f"       {line}" for line in item.fix.paste.rstrip().splitlines()]
    else:
        lines.append(f"  {style(help_, dim=True)}")
    return "\n".join(lines) + "\n"


def _window(item: Item) -> tuple[str, int, int]:
    """The part of the line that fits, tabs as single spaces, and the caret's first and last column in it."""
    text = item.line.replace("\t", " ")
    first = item.start.column - 1
    last = item.end.column - 1 if item.end.row == item.start.row else len(text.rstrip())
    indent = len(text) - len(text.lstrip())
    cut = max(0, min(indent, first) - 4) if len(text) <= MAX_LINE else max(0, first - 40)
    shown = text[cut : cut + MAX_LINE]
    return shown, first - cut, max(first + 1, min(last, cut + len(shown))) - cut


def _summary(found: Sequence[Item], fixed: int) -> str:
    done = f"Fixed {plural(fixed, 'finding')}. " if fixed else ""
    notes = sum(i.severity == "note" for i in found)
    problems = len(found) - notes
    if not found:
        return done + "Nothing left to report."
    files = len({i.path for i in found})
    text = f"{done}Found {plural(problems, 'problem')}"
    if notes:
        text += f" and {plural(notes, 'note')}"
    text += f" in {plural(files, 'file')}."
    safe = sum(i.fixable and i.fix is not None and i.fix.applicability == "safe" for i in found)
    unsafe = sum(i.fixable and i.fix is not None and i.fix.applicability == "unsafe" for i in found)
    if safe or unsafe:
        text += f" {safe} can be fixed with --fix"
        text += f", {unsafe} more with --unsafe-fixes." if unsafe else "."
    return text
