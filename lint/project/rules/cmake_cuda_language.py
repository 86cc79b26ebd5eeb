"""AMD2101: a CMake project that switches the CUDA language on."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from ..file import ProjectFile


@rule("AMD2101", triggers={"CUDA"})
def cmake_cuda_language(file: ProjectFile) -> Iterator[Finding]:
    """Report project(... CUDA) and enable_language(CUDA) outside conditions."""
    if file.kind != "cmake" or file.for_both:
        return
    for command in file.cmake_commands:
        words = command.words
        if (
            command.name not in ("project", "enable_language")
            or "CUDA" not in words[0 if command.name != "project" else 1 :]
        ):
            continue
        if file.guarded(command.start):
            continue
        if command.name == "enable_language" and "OPTIONAL" in words:
            continue
        argument = next(a for a in command.arguments[::-1] if a.text.strip('"') == "CUDA")
        fix = None
        if not _arch_flags(file):
            fix = Fix(
                "safe",
                "take HIP instead when USE_HIP is switched on",
                (
                    _language_variable(file, command.start),
                    Edit(argument.start, argument.end, "${GPU_LANGUAGE}"),
                ),
            )
        yield Finding("AMD2101", argument.start, argument.end, detail="stops where no nvcc is found", fix=fix)


def _arch_flags(file: ProjectFile) -> bool:
    """Whether other lines speak of the CUDA language too, so that changing this one alone would mislead."""
    return file.mentions(
        r"CMAKE_CUDA_|CUDA::|COMPILE_LANGUAGE:CUDA|LANGUAGE\s+CUDA|CUDA_(?:SEPARABLE|ARCHITECTURES|STANDARD)|\.cu\b"
    )


def _language_variable(file: ProjectFile, offset: int) -> Edit:
    begin = file.text.rfind("\n", 0, offset) + 1
    newline = file.source.newline
    rows = [
        'option(USE_HIP "Build for AMD GPUs with ROCm" OFF)',
        "if(USE_HIP)",
        "  set(GPU_LANGUAGE HIP)",
        "else()",
        "  set(GPU_LANGUAGE CUDA)",
        "endif()",
    ]
    return Edit(begin, begin, newline.join(rows) + newline)
