"""CPU time of whole amdlint processes: what a user waits for at every call."""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
RUNS = 15


def cpu(command: list[str], folder: Path, stdin: bytes = b"") -> float:
    """CPU milliseconds of one process and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, input=stdin, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def main() -> None:
    amdlint = str(Path(sys.executable).with_name("amdlint"))
    paste = "\n".join(
        [f"INFO step {i} loss 2.{i}" for i in range(90)]
        + [
            "Traceback (most recent call last):",
            '  File "train.py", line 12, in <module>',
            "RuntimeError: HIP error: invalid device function",
            "torch 2.9.1+rocm6.4, AMD Radeon RX 7600, gfx1102",
        ]
    ).encode()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(ROOT / "docs/examples/cuda-finetune/finetune", folder / "finetune")
        five = sorted(str(p.relative_to(folder)) for p in folder.rglob("*.py"))[:5]
        rows = {
            "python -c pass": ([sys.executable, "-c", "pass"], b""),
            "amdlint --version": ([amdlint, "--version"], b""),
            "five files, no cache": ([amdlint, "--no-cache", *five], b""),
            "five files, cached": ([amdlint, *five], b""),
            "explain, 100 lines": ([amdlint, "explain"], paste),
        }
        print(f"CPU in ms over {RUNS} runs, Python {sys.version.split()[0]}, {os.cpu_count()} processors")
        for label, (command, stdin) in rows.items():
            cpu(command, folder, stdin)
            times = [cpu(command, folder, stdin) for _ in range(RUNS)]
            print(
                f"{label:<24} median {statistics.median(times):6.0f}   min {min(times):6.0f}   max {max(times):6.0f}"
            )


if __name__ == "__main__":
    main()
