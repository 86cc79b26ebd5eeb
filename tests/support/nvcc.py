"""NVIDIA's compiler, where there is one."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

NVCC = shutil.which("nvcc") or (
    "/usr/local/cuda/bin/nvcc" if Path("/usr/local/cuda/bin/nvcc").exists() else None
)
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"]+)[>\"].*$", re.MULTILINE)
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)


def preprocessed(folder: Path, text: str) -> list[str]:
    """What nvcc's device pass makes of a text, as tokens; includes are left out, their contents are not at issue."""
    source = folder / "example.cu"
    source.write_text(_INCLUDE.sub("", text))
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


def refused(folder: Path, texts: Mapping[str, str], *flags: str) -> dict[str, str]:
    """Which of the texts nvcc does not compile, and its errors.

    All of them go through one run, each in a namespace of its own; only when that fails, each on its own.
    """
    if not _compile(folder, _together(texts), *flags):
        return {}
    errors = {name: _compile(folder, text, *flags) for name, text in texts.items()}
    return {name: text for name, text in errors.items() if text}


def _together(texts: Mapping[str, str]) -> str:
    headers = {name for text in texts.values() for name in _INCLUDE.findall(text)}
    ours = sorted(h for h in headers if not re.match(r"hip|roc|rccl", h))
    parts = [f"#include <{header}>" for header in ours]
    for number, text in enumerate(texts.values()):
        names = dict.fromkeys(_DEFINE.findall(text))
        kept = [f'#pragma push_macro("{name}")' for name in names]
        back = [f'#pragma pop_macro("{name}")' for name in names]
        parts += [*kept, f"namespace text_{number} {{\n{text}\n}}", *back]
    return "\n".join(parts) + "\n"


def _compile(folder: Path, text: str, *flags: str) -> str:
    source = folder / "program.cu"
    source.write_text(text)
    command = [
        str(NVCC),
        "-arch=sm_90",
        "-std=c++17",
        "-w",
        "-rdc=true",
        "-ptx",
        *flags,
        "-o",
        str(folder / "program.ptx"),
        str(source),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    return "" if done.returncode == 0 else done.stderr + done.stdout
