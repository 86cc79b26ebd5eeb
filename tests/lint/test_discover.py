"""Which files a run reads."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from amdlint.lint.discover import discover, language_of


def tree(root: Path, *names: str) -> None:
    for name in names:
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x = 1\n")


def found(root: Path, *names: str, exclude: tuple[str, ...] = ()) -> list[str]:
    paths = [root / n for n in names] or [root]
    return [p.relative_to(root).as_posix() for p in discover(paths, exclude=exclude).paths]


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("a.py", "python"),
        ("a.pyi", "python"),
        ("a.ipynb", "python"),
        ("a.cu", "native"),
        ("a.h", "native"),
        ("requirements-dev.txt", "project"),
        ("Dockerfile", "project"),
        ("run.sh", "project"),
        ("CMakeLists.txt", "project"),
        ("notes.txt", None),
        ("README.md", None),
        ("a.bin", None),
    ],
)
def test_language(name: str, language: str | None) -> None:
    assert language_of(Path(name)) == language


def test_order_is_fixed_and_tool_folders_are_left_out(tmp_path: Path) -> None:
    tree(
        tmp_path,
        "b.py",
        "a.py",
        "sub/c.cu",
        ".venv/d.py",
        "build/e.py",
        "x.egg-info/f.py",
        "node_modules/g.py",
    )
    assert found(tmp_path) == ["a.py", "b.py", "sub/c.cu"]


def test_vendored_folders_are_skipped_and_said_so(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "third_party/b.py")
    files = discover([tmp_path])
    assert [p.name for p in files.paths] == ["a.py"]
    assert [(p.name, why) for p, why in files.skipped] == [
        ("third_party", "vendored code; name the folder to lint it")
    ]
    assert found(tmp_path, "third_party") == ["third_party/b.py"]


@pytest.mark.parametrize("git", [False, True])
def test_gitignore(tmp_path: Path, git: bool) -> None:
    tree(tmp_path, "a.py", "gen/b.py", "sub/c.py", "sub/d.py", "keep.py")
    (tmp_path / ".gitignore").write_text("gen/\n")
    (tmp_path / "sub/.gitignore").write_text("d.py\n")
    if git:
        subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    assert found(tmp_path) == ["a.py", "keep.py", "sub/c.py"]


def test_an_ignored_file_that_is_named_is_read(tmp_path: Path) -> None:
    tree(tmp_path, "gen/b.py")
    (tmp_path / ".gitignore").write_text("gen/\n")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    assert found(tmp_path, "gen/b.py") == ["gen/b.py"]
    assert found(tmp_path, "gen") == ["gen/b.py"]


def test_exclude(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "tests/b.py", "c_test.py")
    assert found(tmp_path, exclude=("tests/", "*_test.py")) == ["a.py"]


def test_symbolic_links_make_no_loop(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "sub/b.py")
    os.symlink(tmp_path, tmp_path / "sub/loop")
    os.symlink("a.py", tmp_path / "link.py")
    assert found(tmp_path) == ["a.py", "sub/b.py"]


def test_missing_path_is_an_error_and_the_rest_goes_on(tmp_path: Path) -> None:
    tree(tmp_path, "a.py")
    files = discover([tmp_path / "nope.py", tmp_path])
    assert [(p.name, why) for p, why in files.errors] == [("nope.py", "no such file or directory")]
    assert [p.name for p in files.paths] == ["a.py"]


def test_huge_files_are_skipped_and_said_so(tmp_path: Path) -> None:
    with open(tmp_path / "huge.py", "wb") as f:
        f.truncate(200 * 1024 * 1024)
    files = discover([tmp_path])
    assert files.paths == []
    assert [(p.name, why) for p, why in files.skipped] == [("huge.py", "larger than 16 MiB (200 MiB)")]
