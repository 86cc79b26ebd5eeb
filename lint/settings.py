"""What the user asked for: targets, versions, rule selection. Plain data; ``config`` reads it from files."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec


class Settings(msgspec.Struct, frozen=True):
    """Settings of one run.

    ``targets`` are gfx targets or families (``gfx942``, ``rdna3``); empty means every current target.
    ``rocm`` and ``torch`` are versions as the user wrote them, e.g. ``7.2``; None means any current one.
    """

    targets: tuple[str, ...] = ()
    rocm: str | None = None
    torch: str | None = None
    native_style: Literal["portable", "hip"] = "portable"
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    kb: tuple[Path, ...] = ()
    per_file_ignores: dict[str, tuple[str, ...]] = {}
    extend_include: tuple[str, ...] = ()
