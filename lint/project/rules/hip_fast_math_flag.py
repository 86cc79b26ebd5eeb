"""AMD5105: -ffast-math for HIP code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from ..file import ProjectFile

_FLAG = re.compile(r"(?<![\w-])-ffast-math(?![\w-])")
_HIP = re.compile(
    r"COMPILE_LANGUAGE:HIP|CMAKE_HIP_FLAGS|HIP_HIPCC_FLAGS|HIP_CXX_FLAGS|HIPCC_?FLAGS|HIPFLAGS|hipcc|HIPCC",
    re.IGNORECASE,
)


@rule("AMD5105", triggers={"ffast"})
def hip_fast_math_flag(file: ProjectFile) -> Iterator[Finding]:
    """Report the flag where it reaches hipcc; the fix keeps infinities and NaNs."""
    for start, end in _hip_parts(file):
        part = file.code[start:end]
        if "-fno-finite-math-only" in part:
            continue
        for match in _FLAG.finditer(part):
            at = start + match.end()
            yield Finding(
                "AMD5105",
                start + match.start(),
                at,
                detail="implies -ffinite-math-only: tests for infinity and NaN go",
                fix=Fix("safe", "keep infinities and NaNs", (Edit(at, at, " -fno-finite-math-only"),)),
            )


def _hip_parts(file: ProjectFile) -> Iterator[tuple[int, int]]:
    if file.kind == "cmake":
        for command in file.cmake_commands:
            if _HIP.search(file.text, command.start, command.end):
                yield command.start, command.end
    elif file.kind == "make":
        for line in file.makefile.lines:
            if re.match(r"HIP", line.name) or _HIP.search(line.value):
                yield line.start, line.end
    else:
        for shell_command in file.commands:
            if shell_command.name == "hipcc":
                yield shell_command.start, shell_command.end
