"""What amdlint knows about the linted repository beyond the file at hand."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


class Repo:
    """The files of one run, for questions that one file alone cannot answer.

    ``root`` is the folder that paths are relative to; ``files`` are the paths of all files of the run.
    ``texts`` replaces reading from disk (tests, standard input). Answers are computed once, when first asked.
    """

    def __init__(
        self, root: Path, files: Sequence[Path] = (), texts: Mapping[Path, bytes] | None = None
    ) -> None:
        self.root = root
        self.files = tuple(files)
        self.texts = dict(texts or {})
        self.asked = False
        """Set by every cross-file question, so that a cached answer knows what it depends on."""
        self._memo: dict[object, Any] = {}
        self.before: tuple[Repo, Path] | None = None
        """The repository that this one is but for the text of one file."""
        self.native: object = None
        """What the native rules know about its builds; here, so that it goes when the repository goes."""

    def with_text(self, path: Path, data: bytes) -> Repo:
        """The same repository after one file has been rewritten."""
        changed = Repo(self.root, self.files, {**self.texts, path: data})
        changed.before = (self, path)
        return changed

    def memo(self, key: object, make: Callable[[], T]) -> T:
        """What ``make`` returns, computed once per run: for answers about the repository as a whole."""
        self.asked = True
        if key not in self._memo:
            self._memo[key] = make()
        value: T = self._memo[key]
        return value

    def relative(self, path: Path) -> str:
        """The path below ``root`` with forward slashes, or as it is when it lies elsewhere."""
        name = os.path.relpath(path, self.root)
        return path.as_posix() if name.startswith("..") else name.replace(os.sep, "/")

    def read(self, path: Path) -> bytes:
        """Bytes of a file of the repository; empty when it cannot be read."""
        self.asked = True
        if path in self.texts:
            return self.texts[path]
        try:
            return path.read_bytes()
        except OSError:
            return b""

    def imports(self, package: str) -> bool:
        """Whether some Python file of the repository imports a package: then importing it cannot fail there."""
        statement = re.compile(
            rb"(?:^|\r)[ \t]*(?:import|from)[ \t]+" + package.encode() + rb"\b", re.MULTILINE
        )
        return self.memo(
            ("imports", package), lambda: any(statement.search(self.read(f)) for f in self.python_files)
        )

    @cached_property
    def python_files(self) -> tuple[Path, ...]:
        return tuple(f for f in self.files if f.suffix in (".py", ".pyi"))
