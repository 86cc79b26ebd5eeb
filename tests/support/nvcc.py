"""NVIDIA's compiler, where there is one."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

NVCC = shutil.which("nvcc") or (
    "/usr/local/cuda/bin/nvcc" if Path("/usr/local/cuda/bin/nvcc").exists() else None
)


def preprocessed(folder: Path, text: str) -> list[str]:
    """What nvcc's device pass makes of a text, as tokens; includes are left out, their contents are not at issue."""
    source = folder / "example.cu"
    source.write_text(re.sub(r"^[ \t]*#[ \t]*include.*$", "", text, flags=re.MULTILINE))
    done = subprocess.run(
        [str(NVCC), "-E", "-arch=sm_80", "-x", "cu", str(source)],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    body = done.stdout[done.stdout.rindex(f'"{source}"') :] if f'"{source}"' in done.stdout else done.stdout
    lines = [line for line in body.splitlines()[1:] if not line.startswith("#")]
    return re.findall(r"\w+|[^\s\w]", "\n".join(lines))


def compiled(folder: Path, text: str, *flags: str) -> str:
    """Compile a program for an NVIDIA GPU; returns the errors, empty when there are none."""
    source = folder / "program.cu"
    source.write_text(text)
    command = [
        str(NVCC),
        "-arch=sm_80",
        "-std=c++17",
        "-w",
        *flags,
        "-c",
        "-o",
        str(folder / "program.o"),
        str(source),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    return "" if done.returncode == 0 else done.stderr + done.stdout
