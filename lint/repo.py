"""What amdlint knows about the linted repository beyond the file at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path


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

    def read(self, path: Path) -> bytes:
        """Bytes of a file of the repository; empty when it cannot be read."""
        self.asked = True
        if path in self.texts:
            return self.texts[path]
        try:
            return path.read_bytes()
        except OSError:
            return b""

    @cached_property
    def python_files(self) -> tuple[Path, ...]:
        return tuple(f for f in self.files if f.suffix in (".py", ".pyi"))
