"""AMD2100: a CMake project that cannot be configured without the CUDA toolkit."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from ..cmake import CMakeCommand
from ..file import ProjectFile

# What FindCUDA and FindCUDAToolkit define, with the twin that a HIP build links instead.
_VARIABLES = re.compile(
    r"\$\{(CUDA_(?:INCLUDE_DIRS|TOOLKIT_INCLUDE|LIBRARIES|CUDART_LIBRARY|CUBLAS_LIBRARIES|TOOLKIT_ROOT_DIR)|CUDAToolkit_INCLUDE_DIRS|CUDAToolkit_LIBRARY_DIR)\}"
)
_COMMANDS = frozenset(
    {"cuda_add_library", "cuda_add_executable", "cuda_add_cublas_to_target", "cuda_select_nvcc_arch_flags"}
)


@rule("AMD2100", triggers={"find_package", "FIND_PACKAGE", "cuda_add_library", "cuda_add_executable"})
def cmake_find_cuda(file: ProjectFile) -> Iterator[Finding]:
    """Report find_package(CUDA ... REQUIRED) and what is used of it; the fix makes it one of two branches."""
    if file.kind != "cmake" or file.for_both:
        return
    required = [c for c in file.cmake_commands if _requires_cuda(c) and not file.guarded(c.start)]
    if not required:
        return
    fix = _fix(file, required[0]) if len(required) == 1 else None
    for command in required:
        yield Finding(
            "AMD2100", command.start, command.end, detail="stops where no CUDA toolkit is installed", fix=fix
        )
    for command in file.cmake_commands:
        if file.guarded(command.start) or command in required:
            continue
        if command.name in _COMMANDS:
            yield Finding("AMD2100", command.start, command.end, detail="comes with FindCUDA", fix=None)
            continue
        for argument in command.arguments:
            if _VARIABLES.search(argument.text):
                yield Finding(
                    "AMD2100", argument.start, argument.end, detail="empty without the CUDA toolkit", fix=fix
                )


def _requires_cuda(command: CMakeCommand) -> bool:
    words = command.words
    return command.name == "find_package" and words[:1] in (["CUDA"], ["CUDAToolkit"]) and "REQUIRED" in words


def _fix(file: ProjectFile, command: CMakeCommand) -> Fix | None:
    """Find HIP instead where -DUSE_HIP=ON is given, and give CUDA's variables the HIP twins."""
    begin = file.text.rfind("\n", 0, command.start) + 1
    stop = file.text.find("\n", command.end)
    stop = len(file.text) if stop < 0 else stop
    if file.text[begin : command.start].strip() or file.text[command.end : stop].strip():
        return None
    if "\n" in file.text[command.start : command.end] or any(
        c.name in _COMMANDS for c in file.cmake_commands
    ):
        return None
    uses = set(_VARIABLES.findall(file.code))
    if "CUDA::" in file.code or uses - {"CUDA_INCLUDE_DIRS", "CUDA_LIBRARIES", "CUDAToolkit_INCLUDE_DIRS"}:
        return None
    lead = file.text[begin : command.start]
    rows = [
        'option(USE_HIP "Build for AMD GPUs with ROCm" OFF)',
        "if(USE_HIP)",
        "  find_package(hip REQUIRED)",
    ]
    for name in sorted(uses):
        rows.append(f"  set({name} {'hip::host' if name == 'CUDA_LIBRARIES' else '${hip_INCLUDE_DIRS}'})")
    rows += ["else()", f"  {file.source.text(command.start, command.end)}", "endif()"]
    text = file.source.newline.join(lead + row for row in rows)
    edit = Edit(begin, command.end, text)
    return Fix("safe", "find HIP instead when USE_HIP is switched on", (edit,))
