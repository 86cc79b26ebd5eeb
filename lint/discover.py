"""Which files to read: walk the paths, respect .gitignore, leave out generated and vendored folders."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ..kb.model import Language

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

PYTHON = frozenset({".py", ".pyi", ".ipynb"})
NATIVE = frozenset({".cu", ".cuh", ".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hip", ".inl"})

MAX_BYTES = 16 * 1024 * 1024

IGNORED_FOLDERS = frozenset(
    (
        *(
            ".bzr",
            ".direnv",
            ".eggs",
            ".git",
            ".hg",
            ".ipynb_checkpoints",
            ".mypy_cache",
            ".nox",
            ".pytest_cache",
        ),
        *(
            ".ruff_cache",
            ".svn",
            ".tox",
            ".venv",
            ".amdlint_cache",
            "__pycache__",
            "__pypackages__",
            "_build",
        ),
        *("build", "dist", "node_modules", "site-packages", "venv"),
    )
)
VENDORED_FOLDERS = frozenset(
    (
        "third_party",
        "third-party",
        "thirdparty",
        "3rdparty",
        "vendor",
        "vendored",
        "external",
        "extern",
    )
)


class Files(msgspec.Struct):
    """``paths`` in a fixed order; ``skipped`` says what was left out and why; ``errors`` what cannot be read."""

    root: Path
    paths: list[Path] = []
    skipped: list[tuple[Path, str]] = []
    errors: list[tuple[Path, str]] = []


@lru_cache(maxsize=65536)
def language_of(path: Path) -> Language | None:
    """The language folder that reads a file, by its name; None when amdlint does not read it."""
    suffix = path.suffix.lower()
    if suffix in PYTHON:
        return "python"
    if suffix in NATIVE:
        return "native"
    from .project.kinds import kind_of

    return "project" if kind_of(path) else None


def discover(paths: Sequence[Path], *, exclude: Sequence[str] = ()) -> Files:
    """All files to lint below the paths. A path that is named explicitly is read whatever its folder is called."""
    root = (
        Path(os.path.commonpath([p.absolute() if p.is_dir() else p.absolute().parent for p in paths]))
        if paths
        else Path.cwd()
    )
    files = Files(root)
    excluded = _spec(exclude)
    seen: set[Path] = set()
    for path in paths:
        if path.is_dir():
            found = _walk(path, files, excluded)
        elif path.exists():
            found = iter([path])
        else:
            files.errors.append((path, "no such file or directory"))
            continue
        for file in found:
            key = file.absolute()
            if key not in seen:
                seen.add(key)
                if _acceptable(file, files):
                    files.paths.append(file)
    return files


def _spec(patterns: Sequence[str]) -> GitIgnoreSpec | None:
    if not patterns:
        return None
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(patterns)


def _acceptable(path: Path, files: Files) -> bool:
    try:
        info = path.stat()
    except OSError as e:
        files.errors.append((path, e.strerror or str(e)))
        return False
    if not stat.S_ISREG(info.st_mode):
        return False
    if info.st_size > MAX_BYTES:
        files.skipped.append(
            (path, f"larger than {MAX_BYTES // 1024 // 1024} MiB ({info.st_size // 1024 // 1024} MiB)")
        )
        return False
    return True


def _walk(top: Path, files: Files, excluded: GitIgnoreSpec | None) -> Iterator[Path]:
    listed = _git_files(top)
    relative = listed if listed is not None else _scan(top, files)
    vendored: set[str] = set()
    for name in sorted(relative):
        parts = name.split("/")
        skip = next(
            (
                i
                for i, part in enumerate(parts[:-1])
                if part in IGNORED_FOLDERS or part in VENDORED_FOLDERS or part.endswith(".egg-info")
            ),
            None,
        )
        if skip is not None:
            folder = "/".join(parts[: skip + 1])
            if parts[skip] in VENDORED_FOLDERS and folder not in vendored:
                vendored.add(folder)
                files.skipped.append((top / folder, "vendored code; name the folder to lint it"))
            continue
        path = top / name
        if language_of(path) is None or path.is_symlink():
            continue
        if excluded is not None and excluded.match_file(name):
            continue
        yield path


def _git_files(top: Path) -> list[str] | None:
    """Files git tracks or would track below a folder; None outside a work tree or without git."""
    if not any((folder / ".git").exists() for folder in (top.absolute(), *top.absolute().parents)):
        return None
    import subprocess  # which a run over named files does not need

    try:
        listing = subprocess.run(
            ["git", "-C", str(top), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            capture_output=True,
            check=True,
            timeout=60,
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    names = [os.fsdecode(n) for n in listing.split(b"\0") if n]
    if not names and any(top.iterdir()):
        return None  # an ignored folder that the user named: read it all the same
    return [n for n in dict.fromkeys(names) if not n.startswith("../")]


def _scan(top: Path, files: Files) -> Iterator[str]:
    """Relative names of all files below a folder, honouring .gitignore files; symbolic links are not followed."""
    from pathspec import GitIgnoreSpec

    stack: list[tuple[str, tuple[tuple[str, GitIgnoreSpec], ...]]] = [("", ())]
    while stack:
        folder, specs = stack.pop()
        here = top / folder if folder else top
        try:
            entries = sorted(os.scandir(here), key=lambda e: e.name)
        except OSError as e:
            files.errors.append((here, e.strerror or str(e)))
            continue
        if any(e.name == ".gitignore" for e in entries):
            try:
                lines = (here / ".gitignore").read_text("utf-8", "replace").splitlines()
                specs = (*specs, (folder, GitIgnoreSpec.from_lines(lines)))
            except (OSError, ValueError):
                pass
        for entry in entries:
            name = f"{folder}/{entry.name}" if folder else entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            if any(
                spec.match_file((name[len(base) + 1 :] if base else name) + ("/" if is_folder else ""))
                for base, spec in specs
            ):
                continue
            if is_folder:
                if entry.name not in IGNORED_FOLDERS:
                    stack.append((name, specs))
            else:
                yield name
