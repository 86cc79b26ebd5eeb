"""Read the YAML files of facts once, then from a compiled copy in the user's cache.

A warm start parses no YAML and does not import PyYAML. Without a writable cache folder everything
works, only slower.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path
from typing import TypeVar

import msgspec

from . import model

FOLDER = Path(__file__).parent
T = TypeVar("T")


class FactsError(Exception):
    """A file of facts does not fit its model."""


def load(name: str, kind: type[T]) -> T:
    """The content of ``<name>.yaml`` as ``kind``."""
    file = FOLDER / f"{name}.yaml"
    stored = _cache_file(file)
    if stored is not None:
        with contextlib.suppress(OSError, msgspec.DecodeError, msgspec.ValidationError):
            return msgspec.msgpack.decode(stored.read_bytes(), type=kind)
    value = parse(file, kind)
    if stored is not None:
        _write(stored, msgspec.msgpack.encode(value))
    return value


def parse(file: Path, kind: type[T]) -> T:
    """Parse and validate a YAML file of facts, without the cache."""
    import yaml

    raw = yaml.load(file.read_text("utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    try:
        return msgspec.convert(raw, kind)
    except msgspec.ValidationError as e:
        raise FactsError(f"{file.name}: {e}") from None


def _cache_file(file: Path) -> Path | None:
    import platformdirs

    state = hashlib.sha256()
    try:
        for part in (Path(model.__file__), file):
            stat = part.stat()
            state.update(f"{part}\0{stat.st_mtime_ns}\0{stat.st_size}\n".encode())
    except OSError:
        return None
    folder = Path(platformdirs.user_cache_dir("amdlint", appauthor=False))
    return folder / f"facts-{file.stem}-{state.hexdigest()[:20]}.msgpack"


def _write(file: Path, data: bytes) -> None:
    """Write atomically and keep only the newest copies; failing to write is no error."""
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=file.stem)
        with os.fdopen(handle, "wb") as f:
            f.write(data)
        os.replace(temporary, file)
        kind = file.stem.rpartition("-")[0]
        copies = sorted(file.parent.glob(f"{kind}-*.msgpack"), key=lambda p: p.stat().st_mtime)
        for old in copies[:-4]:
            old.unlink(missing_ok=True)
