"""What a wheel of amdlint holds, and that it works installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # the same on every Python

ROOT = Path(__file__).parent.parent


def tracked_copy(target: Path) -> Path:
    """The files git knows, as they stand, copied elsewhere: building must not litter the checkout."""
    names = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        check=True,
    ).stdout
    for name in filter(None, names.decode().split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    return target


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = tracked_copy(tmp_path_factory.mktemp("source"))
    target = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "-q",
            "--no-deps",
            "--no-build-isolation",
            "-w",
            str(target),
            str(source),
        ],
        check=True,
    )
    return next(target.glob("*.whl"))


def test_the_wheel_carries_everything_under_amdlint_alone(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    tops = {n.split("/")[0] for n in names if ".dist-info/" not in n}
    assert tops == {"amdlint"}
    for folder, pattern in (
        ("kb", "*.yaml"),
        ("kb", "*.json"),
        ("kb", "*.py"),
        ("lint", "*.py"),
        ("lint", "*.h"),
    ):
        for file in (ROOT / folder).rglob(pattern):
            assert f"amdlint/{file.relative_to(ROOT).as_posix()}" in names
    assert {"amdlint/kb/py.typed", "amdlint/lint/py.typed"} <= names


def test_the_wheel_works(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path / 'site')!r}); import amdlint.kb as kb, amdlint.lint as lint; "
        "assert kb.__file__.startswith(sys.path[0]), kb.__file__; print(lint.__version__, len(kb.load(cache=False)) > 50)"
    )
    # -S keeps an editable install of the test environment out of the way, its site-packages come back by path.
    site = next(p for p in sys.path if p.endswith("site-packages"))
    code = f"import sys; sys.path.append({site!r}); " + code
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.stderr == ""
    assert done.stdout == "0.1.0 True\n"


def test_python_m(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "amdlint.lint", "--version"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    )
    assert done.stdout == "amdlint 0.1.0\n"
