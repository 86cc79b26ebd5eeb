"""Results of earlier runs: a file that has not changed is not read again.

One msgpack file per folder and settings under ``.amdlint_cache``. A result that depended on other files
of the repository holds only while none of them has changed. A cache that cannot be read or written is
no error.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from ..kb.compiled import fingerprint
from .finding import Finding
from .settings import Settings
from .version import VERSION

FOLDER = ".amdlint_cache"


class Stored(msgspec.Struct, array_like=True):
    """Result for one file: its state, the state of the repository it depended on, and the findings."""

    mtime: int
    size: int
    repo: str
    error: str | None
    findings: list[Finding]


class Cache:
    """Load once, ask per file, save once."""

    def __init__(self, root: Path, settings: Settings, files: Sequence[Path], code_state: str) -> None:
        key = fingerprint(f"{VERSION}\0{code_state}\0{settings!r}")
        self.file = root / FOLDER / f"{key}.msgpack"
        self.states: dict[str, tuple[int, int]] = {}
        for path in files:
            with contextlib.suppress(OSError):
                info = os.stat(path)
                self.states[str(path)] = (info.st_mtime_ns, info.st_size)
        self.repo = fingerprint(repr(sorted(self.states.items())))
        self.old: dict[str, Stored] = {}
        with contextlib.suppress(OSError, msgspec.DecodeError, msgspec.ValidationError):
            self.old = msgspec.msgpack.decode(self.file.read_bytes(), type=dict[str, Stored])
        self.new: dict[str, Stored] = {}

    def get(self, path: Path) -> tuple[str | None, list[Finding]] | None:
        """Error and findings of an unchanged file, or None."""
        name = str(path)
        stored = self.old.get(name)
        if stored is None or self.states.get(name) != (stored.mtime, stored.size):
            return None
        if stored.repo and stored.repo != self.repo:
            return None
        self.new[name] = stored
        return stored.error, stored.findings

    def put(self, path: Path, error: str | None, findings: Iterable[Finding], *, asked_repo: bool) -> None:
        state = self.states.get(str(path))
        if state is not None:
            repo = self.repo if asked_repo else ""
            self.new[str(path)] = Stored(*state, repo, error, list(findings))

    def save(self) -> None:
        if self.new == self.old:
            return
        with contextlib.suppress(OSError):
            folder = self.file.parent
            if not folder.exists():
                folder.mkdir(parents=True)
                (folder / ".gitignore").write_text("*\n")
            temporary = self.file.with_suffix(f".{os.getpid()}")
            temporary.write_bytes(msgspec.msgpack.encode(self.new))
            os.replace(temporary, self.file)
            for old in sorted(folder.glob("*.msgpack"), key=lambda p: p.stat().st_mtime)[:-8]:
                old.unlink(missing_ok=True)
