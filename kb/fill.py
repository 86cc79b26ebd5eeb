"""Fill the placeholders of a fix from what the log and the user say."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import msgspec

from .context import Context
from .model import Step

_HOLDER = re.compile(r"\{(gfx|override|rocm|torch|wheel_index)\}")

TELLS: dict[str, str] = {
    "gfx": "rocminfo | grep -o -m1 'gfx[0-9a-f]*'",
    "override": "rocminfo | grep -o -m1 'gfx[0-9a-f]*'",
    "rocm": 'python -c "import torch; print(torch.version.hip)"',
    "torch": 'python -c "import torch; print(torch.__version__)"',
    "wheel_index": 'python -c "import torch; print(torch.version.hip)"',
}
"""The command that shows what a placeholder stands for."""


class Filled(msgspec.Struct, frozen=True):
    """Text with placeholders filled; ``unknown`` names those left as ``<gfx>``."""

    text: str
    unknown: tuple[str, ...] = ()


def fill(text: str, context: Context) -> Filled:
    """The text with every ``{gfx}``, ``{override}``, ``{rocm}``, ``{torch}`` and ``{wheel_index}`` replaced."""
    unknown: list[str] = []

    def value(m: re.Match[str]) -> str:
        name = m.group(1)
        known = _VALUES[name](context)
        if known is None:
            if name not in unknown:
                unknown.append(name)
            return f"<{name}>"
        return known

    return Filled(_HOLDER.sub(value, text), tuple(unknown))


def _gfx(context: Context) -> str | None:
    return context.gfx[0] if len(context.gfx) == 1 else None


def _override(context: Context) -> str | None:
    gfx = _gfx(context)
    if gfx is None:
        return None
    from . import facts

    return facts.override_for(gfx)


def _rocm(context: Context) -> str | None:
    if context.rocm is None:
        return None
    return ".".join(context.rocm.split(".")[:2])


def _torch(context: Context) -> str | None:
    return context.torch.partition("+")[0] if context.torch else None


def _wheel_index(context: Context) -> str | None:
    if context.rocm is None:
        return None
    from . import facts

    return facts.wheel_index(context.rocm)


_VALUES: dict[str, Callable[[Context], str | None]] = {
    "gfx": _gfx,
    "override": _override,
    "rocm": _rocm,
    "torch": _torch,
    "wheel_index": _wheel_index,
}


def step(of: Step, context: Context) -> tuple[str, Filled]:
    """(kind, filled text) of a step. Code has no placeholders: braces mean something there."""
    for name in ("do", "run", "env", "code", "config"):
        text = getattr(of, name)
        if text is not None:
            return name, Filled(text) if name == "code" else fill(text, context)
    return "do", Filled("")


def tells(filled: Iterable[Filled]) -> dict[str, str]:
    """For every placeholder left open, the command that shows its value."""
    return {name: TELLS[name] for f in filled for name in f.unknown}
