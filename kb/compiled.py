"""Compiled copies of data that is slow to read, in the user's cache folder.

A copy is named after the state of the files (or the text) it was made from. Without a writable cache
folder everything works, only slower: a copy that cannot be read or written is no error.
"""

from __future__ import annotations

import contextlib
import os
import sys
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

import msgspec

T = TypeVar("T")
KEPT = 4
"""Copies of one kind that stay; older ones are deleted."""


def compiled(kind: str, key: str, type_: type[T] | object, make: Callable[[], T]) -> T:
    """The copy of this kind and key, or what ``make`` returns, which is then kept for the next time."""
    file = _folder() / f"{kind}-{fingerprint(key)}.msgpack"
    with contextlib.suppress(OSError, msgspec.DecodeError, msgspec.ValidationError):
        stored: T = msgspec.msgpack.decode(file.read_bytes(), type=type_)
        return stored
    value = make()
    _write(file, kind, msgspec.msgpack.encode(value))
    return value


def fingerprint(text: str) -> str:
    """A short name for a text. No cryptographic hash: loading OpenSSL takes longer than reading a copy."""
    data = text.encode("utf-8", "replace")
    return f"{zlib.crc32(data):08x}{zlib.adler32(data):08x}{len(data):x}"


def tree_state(folder: str | Path, endings: tuple[str, ...]) -> str:
    """Changes whenever a file with one of the endings does, anywhere below a folder."""
    lines: list[str] = []
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda e: e.name):
            if entry.is_dir():
                lines.append(tree_state(entry.path, endings))
            elif entry.name.endswith(endings):
                info = entry.stat()
                lines.append(f"{entry.path}\0{info.st_mtime_ns}\0{info.st_size}")
    return "\n".join(lines)


def state(files: Iterable[Path]) -> str:
    """Changes whenever one of the files does. Raises OSError when one is gone."""
    lines = []
    for file in files:
        info = os.stat(file)
        lines.append(f"{file}\0{info.st_mtime_ns}\0{info.st_size}")
    return "\n".join(lines)


def _folder(platform: str = sys.platform) -> Path:
    if platform == "linux":  # what platformdirs says there; importing it takes longer than reading a copy
        root = os.environ.get("XDG_CACHE_HOME", "").strip() or os.path.expanduser("~/.cache")
        return Path(root, "amdlint")
    import platformdirs

    return Path(platformdirs.user_cache_dir("amdlint", appauthor=False))


def _write(file: Path, kind: str, data: bytes) -> None:
    import tempfile

    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=file.stem)
        with os.fdopen(handle, "wb") as f:
            f.write(data)
        os.replace(temporary, file)
        copies = sorted(file.parent.glob(f"{kind}-*.msgpack"), key=lambda p: p.stat().st_mtime)
        for old in copies[:-KEPT]:
            old.unlink(missing_ok=True)
