"""NVIDIA's compiler, where there is one."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

NVCC = shutil.which("nvcc") or (
    "/usr/local/cuda/bin/nvcc" if Path("/usr/local/cuda/bin/nvcc").exists() else None
)
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"]+)[>\"].*$", re.MULTILINE)
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)


def preprocessed(folder: Path, texts: Mapping[str, str]) -> dict[str, list[str]]:
    """What nvcc's device pass makes of each text, as tokens; includes are left out, their contents are not at issue."""
    source = folder / "texts.cu"
    bare = {name: _INCLUDE.sub("", text) for name, text in texts.items()}
    source.write_text("".join(_apart(bare, "int begin_of_text_{};\n", "int end_of_text;\n")))
    command = [str(NVCC), "-E", "-arch=sm_80", "-x", "cu", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    lines = "\n".join(line for line in done.stdout.splitlines() if not line.startswith("#"))
    parts = re.findall(r"int begin_of_text_\d+;(.*?)int end_of_text;", lines, re.DOTALL)
    return {name: re.findall(r"\w+|[^\s\w]", part) for name, part in zip(texts, parts, strict=True)}


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
    includes = [f"#include <{h}>\n" for h in sorted(headers) if not re.match(r"hip|roc|rccl", h)]
    return "".join([*includes, *_apart(texts, "namespace text_{} {{\n", "}}\n")])


def _apart(texts: Mapping[str, str], opening: str, closing: str) -> Iterator[str]:
    """The texts one after the other, none of which sees the macros of another."""
    for number, text in enumerate(texts.values()):
        names = dict.fromkeys(_DEFINE.findall(text))
        yield from (f'#pragma push_macro("{name}")\n' for name in names)
        yield f"{opening.format(number)}{text}\n{closing.format()}"
        yield from (f'#pragma pop_macro("{name}")\n' for name in names)


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
