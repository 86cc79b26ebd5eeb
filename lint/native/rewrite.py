"""Insert the pieces of ``amd_compat.h`` that the fixes of a file ask for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ..finding import Edit, Fix
from ..source import Source

if TYPE_CHECKING:
    from .lexer import Directive
    from .unit import Unit

_TEMPLATE = Path(__file__).with_name("amd_compat.h")
HIP_INCLUDE = "#include <hip/hip_runtime.h>"


@lru_cache(maxsize=1)
def pieces() -> dict[str, tuple[str, tuple[str, ...]]]:
    """Every helper of the template: name to (text, names it needs), in the order of the file."""
    found: dict[str, tuple[str, tuple[str, ...]]] = {}
    for block in _TEMPLATE.read_text("utf-8").split("\n//= ")[1:]:
        head, _, body = block.partition("\n")
        name, _, needs = head.partition(":")
        found[name.strip()] = (body.strip("\n"), tuple(needs.split()))
    return found


def block(names: Sequence[str], test: str, newline: str = "\n", *, include: bool = True) -> str:
    """The guarded text that gives AMD builds these helpers; hipRTC has HIP's header built in."""
    table = pieces()
    wanted: set[str] = set()

    def add(name: str) -> None:
        if name not in wanted:
            wanted.add(name)
            for other in table[name][1] if name in table else ():
                add(other)

    for name in names:
        add(name)
    lines = [test, HIP_INCLUDE] if include else [test]
    used = [n for n in table if n in wanted]
    others: list[str] = []
    later: list[str] = []
    for name in used:
        here, _, there = table[name][0].partition("\n//else\n")
        others += [there] if there else []
        while here.startswith("#include"):  # first, before a macro can rename what a header declares
            header, _, here = here.partition("\n")
            if header not in lines:
                lines.append(header)
        later += [_once(name, here)] if here else []
    lines += [_mapping(name) for name in sorted(n for n in wanted if n not in table)]
    lines += later
    if others:
        lines += ["#else", *others]
    lines.append("#endif")
    return newline.join("\n".join(lines).split("\n")) + newline


def _once(name: str, text: str) -> str:
    """Definitions that several files of one build may carry are taken from the first."""
    if not re.search(r"^(?:template|struct|static|inline|namespace \w+ \{)", text, re.MULTILINE):
        return text
    guard = f"AMD_HAS_{re.sub(r'[^A-Z0-9]+', '_', name.upper()).strip('_')}"
    return f"#ifndef {guard}\n#define {guard}\n{text}\n#endif"


def _mapping(name: str) -> str:
    """``old=new`` asks for a plain renaming macro."""
    old, _, new = name.partition("=")
    return f"#define {old} {new}".rstrip()


def finish(source: Source, fixes: Sequence[Fix]) -> list[Edit]:
    """The edits of the fixes, and one insertion that holds all helpers they need."""
    if not any(fix.helpers for fix in fixes):
        return [e for fix in fixes for e in fix.edits]
    from ..repo import Repo
    from ..settings import Settings
    from .unit import Unit

    return finish_unit(Unit(source, Repo(Path()), Settings()), fixes)


def finish_unit(unit: Unit, fixes: Sequence[Fix]) -> list[Edit]:
    """``finish`` for a text that has been read already."""
    edits = [e for fix in fixes for e in fix.edits]
    names = list(dict.fromkeys(n for fix in fixes for n in fix.helpers))
    if names:
        at, before, after = insertion_point(unit)
        edits.append(
            Edit(
                at,
                at,
                before
                + block(names, unit.if_amd, unit.source.newline, include=unit.runtime in ("", "load_inline"))
                + after,
            )
        )
    return edits


def insertion_point(unit: Unit) -> tuple[int, str, str]:
    """Where helpers go: after the last include of the head of the file.

    Returns the offset and the text to put before and after the block.
    """
    newline = unit.source.newline
    data = unit.source.data
    limit = len(data)
    if unit.functions.found:
        limit = unit.tokens.starts[min(f.start for f in unit.functions.found)]
    at = None
    for _, _, directive in unit.pre.includes:
        if directive.start < limit and unit.pre.live(directive.start) is not False:
            at = _line_end(data, directive.end)
            branch = unit.pre.branch(directive.start)
            while branch is not None and branch.conditional.default is False:
                # never inside a conditional that NVIDIA or AMD may skip: go behind its #endif
                closer = branch.conditional.closer
                if closer is None:
                    break
                at = _line_end(data, closer.end)
                branch = branch.parent
    if at is not None:
        blank = newline if data[at : at + len(newline)] != newline.encode() and data[at:].strip() else ""
        return at, newline, blank
    # no include: behind "#pragma once", the include guard or the leading comments
    for d in unit.tokens.directives:
        if d.start >= limit:
            break
        if d.name == "pragma" and "once" in unit.tokens.texts[d.first : d.last]:
            return _line_end(data, d.end), newline, ""
    for conditional in unit.pre.conditionals:
        if conditional.default and conditional.branches[0].opener.start < limit:
            opener = conditional.branches[0].opener
            define = next(d for d in unit.tokens.directives if d.token > opener.token)
            if (
                conditional.closer is None
                or conditional.closer.start > limit
                or unit.tokens.directives[-1] is conditional.closer
            ):
                return _line_end(data, define.end), newline, ""
    if unit.runtime:
        return unit.origin, "", newline
    comment = re.match(rb"(?:\s*(?://[^\n]*\n|/\*.*?\*/[ \t]*\r?\n?))*", data, re.DOTALL)
    at = comment.end() if comment else 0
    return at, "", newline


def _line_end(data: bytes, offset: int) -> int:
    """Start of the line after the one that holds ``offset``."""
    if offset > 0 and data[offset - 1 : offset] == b"\n":
        return offset
    end = data.find(b"\n", offset)
    return len(data) if end < 0 else end + 1


def alternatives(unit: Unit, first: int, last: int, amd: Sequence[str]) -> tuple[Edit, ...] | None:
    """Put a whole statement (tokens ``first`` to ``last``) into the NVIDIA branch, beside lines for AMD.

    NVIDIA compiles the very same tokens as before. None inside a macro, where no ``#if`` can stand.
    """
    if unit.macro_at(first) is not None or unit.amd_only(first):
        return None
    data, newline = unit.source.data, unit.source.newline
    start, end = unit.span(first, last)
    line_start = data.rfind(b"\n", 0, start) + 1
    before = data[line_start:start]
    indent = (
        before.decode("latin-1") if not before.strip() else " " * (len(before) - len(before.lstrip()) + 2)
    )
    line_end = data.find(b"\n", end)
    line_end = len(data) if line_end < 0 else line_end
    after = data[end:line_end].strip()
    own_line = not before.strip()
    head = "" if own_line else newline
    lines = [unit.if_amd, *(f"{indent}{line}" for line in amd), "#else"]
    opening = head + newline.join(lines) + newline + ("" if own_line else indent)
    at = line_start if own_line else line_start + len(before.rstrip())
    edits = [Edit(at, line_start if own_line else start, opening)]
    if after and not after.startswith((b"//", b"\\")):
        outer = " " * (len(before) - len(before.lstrip())) if not own_line else indent
        rest = end + len(data[end:line_end]) - len(data[end:line_end].lstrip())
        edits.append(Edit(end, rest, f"{newline}#endif{newline}{outer}"))
    else:
        edits.append(
            Edit(
                line_end if data[line_end - 1 : line_end] != b"\r" else line_end - 1,
                line_end if data[line_end - 1 : line_end] != b"\r" else line_end - 1,
                f"{newline}#endif",
            )
        )
    return tuple(edits)


def skip_statement(unit: Unit, first: int) -> tuple[Edit, ...] | None:
    """Keep ``if (...) ...`` without ``else``, or ``call(...);``, for NVIDIA: the statement at ``first`` gets an ``#if``."""
    texts, match = unit.texts, unit.tokens.match
    if unit.macro_at(first) is not None or texts[unit.previous(first)] == "else":
        return None
    opened = unit.next(first)
    if texts[opened] == "constexpr":
        opened = unit.next(opened)
    close = match.get(opened)
    if close is None:
        return None
    last = unit.next(close)
    if texts[last] == "{":
        last = match.get(last, -1)
    else:
        while last < len(texts) and texts[last] != ";":
            last = match.get(last, last) + 1 if texts[last] in ("(", "[", "{") else last + 1
    if last < 0 or last >= len(texts) or unit.next(last) >= len(texts) or texts[unit.next(last)] == "else":
        return None
    data, newline = unit.source.data, unit.source.newline
    start, end = unit.span(first, last)
    line_start = data.rfind(b"\n", 0, start) + 1
    line_end = data.find(b"\n", end)
    line_end = len(data) if line_end < 0 else line_end
    if data[line_end - 1 : line_end] == b"\r":
        line_end -= 1
    rest = data[end:line_end].strip()
    if data[line_start:start].strip() or (rest and not rest.startswith(b"//")):
        return None
    return Edit(line_start, line_start, unit.if_not_amd + newline), Edit(
        line_end, line_end, f"{newline}#endif"
    )


def only_nvidia(unit: Unit, first: int, last: int) -> tuple[Edit, ...]:
    """Put the tokens ``first`` to ``last`` into an ``#if`` of their own; what else stands on their lines stays outside."""
    data, newline = unit.source.data, unit.source.newline
    start, end = unit.span(first, last)
    line_start = data.rfind(b"\n", 0, start) + 1
    line_end = data.find(b"\n", end)
    line_end = len(data) if line_end < 0 else line_end
    before, after = data[line_start:start], data[end:line_end]
    indent = before[: len(before) - len(before.lstrip())].decode("latin-1")
    opening = (
        Edit(line_start + len(before.rstrip()), start, f"{newline}{unit.if_not_amd}{newline}{indent}")
        if before.strip()
        else Edit(line_start, line_start, unit.if_not_amd + newline)
    )
    if after.strip() and not after.lstrip().startswith(b"//"):
        space = len(after) - len(after.lstrip())
        return opening, Edit(end, end + space, f"{newline}#endif{newline}{indent}  ")
    stop = end + len(after.rstrip(b"\r"))
    return opening, Edit(stop, stop, f"{newline}#endif")


def skip_include(unit: Unit, directive: Directive, amd: Sequence[str] = ()) -> tuple[Edit, ...]:
    """Keep an ``#include`` for NVIDIA only, with other lines for AMD."""
    data, newline = unit.source.data, unit.source.newline
    end = directive.end
    while end > directive.start and data[end - 1 : end] in (b"\n", b"\r"):
        end -= 1
    opening = [unit.if_amd, *amd, "#else"] if amd else [unit.if_not_amd]
    return (
        Edit(directive.start, directive.start, newline.join(opening) + newline),
        Edit(end, end, f"{newline}#endif"),
    )


def companions(source: Source, fixes: list[Fix]) -> dict[Path, str]:
    """New files beside the source: none, the helpers stand in the file that uses them."""
    return {}
