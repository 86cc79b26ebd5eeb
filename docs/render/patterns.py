"""A signature's regular expression as a line that people can read."""

from __future__ import annotations

import re
import warnings
from typing import Any

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    try:
        from re import _parser as sre_parse  # type: ignore[attr-defined]
    except ImportError:  # Python 3.10
        import sre_parse

GAP = "…"


def readable(regex: str) -> str:
    """``Cannot read .{1,200}gfx103[1-5]`` as ``Cannot read … gfx103[1-5]``."""
    try:
        text = _text(sre_parse.parse(regex))
    except re.error:
        return regex
    return re.sub(rf"(\s*{GAP}\s*)+", f" {GAP} ", text).strip()


def _text(parsed: Any) -> str:
    return "".join(_part(op, argument) for op, argument in parsed)


def _part(op: Any, argument: Any) -> str:
    name = str(op)
    if name == "LITERAL":
        return chr(argument)
    if name == "SUBPATTERN":
        return _text(argument[-1])
    if name == "BRANCH":
        return "(" + " | ".join(_text(branch) for branch in argument[1]) + ")"
    if name == "IN":
        return _one_of(argument)
    if name in ("MAX_REPEAT", "MIN_REPEAT"):
        low, high, inner = argument
        if _is_digits(inner):
            return "N"
        if high == 1:
            return _text(inner) if low else ""
        text = _text(inner)
        if GAP in text or text.startswith("["):
            return GAP
        return text * low if low == high else text
    return "" if name == "AT" else GAP


def _is_digits(inner: Any) -> bool:
    return len(inner) == 1 and str(inner[0][0]) == "IN" and _one_of(inner[0][1]) in ("N", "[0-9]")


def _one_of(items: Any) -> str:
    parts = []
    for op, argument in items:
        name = str(op)
        if name == "NEGATE":
            return GAP
        if name == "RANGE":
            parts.append(f"{chr(argument[0])}-{chr(argument[1])}")
        elif name == "LITERAL":
            parts.append(chr(argument))
        elif str(argument) == "CATEGORY_DIGIT":
            parts.append("0-9")
        else:
            return GAP
    return parts[0] if len(parts) == 1 and len(parts[0]) == 1 else f"[{''.join(parts)}]"
