"""Whole-repository lint against ``ast.parse``, ``libcst.parse_module`` and ruff over the same files in the same run.

Every time is the best of some rounds, taken in turn, so that other load on the machine weighs little.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import gc
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

from amdlint.lint import engine, run
from amdlint.lint.discover import Files, discover
from amdlint.lint.repo import Repo
from amdlint.lint.settings import Settings
from amdlint.lint.source import UnreadableSource


def cpu(action: Callable[[], object]) -> float:
    """CPU seconds of this process for one call."""
    gc.collect()
    start = time.process_time()
    action()
    return time.process_time() - start


def parse_all(texts: list[bytes]) -> None:
    for text in texts:
        with contextlib.suppress(SyntaxError, ValueError):
            ast.parse(text)


def parse_with_libcst(texts: list[bytes]) -> None:
    import libcst

    for text in texts:
        with contextlib.suppress(Exception):  # libcst raises its own errors for what it cannot read
            libcst.parse_module(text)


def ruff_wall(folder: Path) -> float | None:
    """Wall seconds of ``ruff check --no-cache``; None where ruff is not installed."""
    beside = Path(sys.executable).with_name("ruff")
    ruff = str(beside) if beside.exists() else shutil.which("ruff")
    if ruff is None:
        return None
    start = time.perf_counter()
    subprocess.run(
        [ruff, "check", "--no-cache", "--isolated", "--quiet", "--exit-zero", str(folder)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    return time.perf_counter() - start


def own_wall(folder: Path) -> float:
    """Wall seconds of the whole command with two jobs, start-up included."""
    start = time.perf_counter()
    command = [sys.executable, "-m", "amdlint.lint", "--no-cache", "--exit-zero", "--jobs", "2", str(folder)]
    subprocess.run(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, env=dict(os.environ)
    )
    return time.perf_counter() - start


def without_prefilter(files: Files, settings: Settings) -> list[tuple[str, str, int]]:
    repo = Repo(files.root, files.paths)
    found = []
    for path in files.paths:
        try:
            report = engine.check(engine.read(path, path.read_bytes()), repo, settings, prefilter=False)
        except (OSError, UnreadableSource):
            continue
        found += [(str(path), f.code, f.start) for f in report.findings]
    return sorted(found)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument(
        "--libcst-files", type=int, default=60, help="files of the sample that libcst parses"
    )
    options.add_argument("--rounds", type=int, default=3)
    arguments = options.parse_args()
    warnings.simplefilter("ignore")
    files = discover([arguments.folder])
    python = [p for p in files.paths if p.suffix in (".py", ".pyi")]
    texts = [p.read_bytes() for p in python]
    megabytes = sum(map(len, texts)) / 1e6
    print(f"{len(files.paths)} files, of which Python: {len(python)} ({megabytes:.1f} MB)")
    settings = Settings()
    run.check_files(Files(files.root, files.paths[:1]), settings, jobs=1, use_cache=False)  # imports, entries

    only_python = Files(files.root, python)
    parsing = linting = everything = wall = float("inf")
    ruff: float | None = None
    for _ in range(arguments.rounds):
        gc.disable()
        parsing = min(parsing, cpu(lambda: parse_all(texts)))
        gc.enable()
        linting = min(linting, cpu(lambda: run.check_files(only_python, settings, jobs=1, use_cache=False)))
        everything = min(everything, cpu(lambda: run.check_files(files, settings, jobs=1, use_cache=False)))
        wall = min(wall, own_wall(arguments.folder))
        took = ruff_wall(arguments.folder)
        ruff = took if ruff is None or (took is not None and took < ruff) else ruff
    sample = random.Random(0).sample(texts, min(arguments.libcst_files, len(texts)))
    libcst_time, ast_time = cpu(lambda: parse_with_libcst(sample)), cpu(lambda: parse_all(sample))

    with tempfile.TemporaryDirectory() as folder:
        cached = Files(Path(folder), files.paths)
        cold = cpu(lambda: run.check_files(cached, settings, jobs=1))
        warm = cpu(lambda: run.check_files(cached, settings, jobs=1))

    print(f"ast.parse                       {parsing:8.2f} s")
    print(
        f"amdlint, Python files           {linting:8.2f} s   {linting / parsing:.2f}x ast.parse, {len(python) / linting:.0f} files/s"
    )
    print(
        f"amdlint, all files              {everything:8.2f} s   {everything / parsing:.2f}x ast.parse of the Python files"
    )
    print(
        f"libcst.parse_module             {libcst_time:8.2f} s on {len(sample)} files   {libcst_time / ast_time:.1f}x ast.parse"
    )
    print(f"cold with cache, then warm      {cold:8.2f} s, {warm:.3f} s   {warm / cold:.3f}x")
    beside = f"   {wall / ruff:.1f}x ruff check --no-cache ({ruff:.2f} s)" if ruff else ""
    print(f"two jobs, wall                  {wall:8.2f} s{beside}")
    print(
        f"peak memory                     {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:8.0f} MiB"
    )

    found = sorted(
        (str(p), f.code, f.start)
        for p, f in run.check_files(files, settings, jobs=1, use_cache=False).findings
    )
    lost = set(without_prefilter(files, settings)) - set(found)
    print(f"findings {len(found)}, lost by the prefilter {len(lost)}")
    for row in sorted(lost)[:20]:
        print("  lost:", *row)
    sys.exit(bool(lost))


if __name__ == "__main__":
    main()
