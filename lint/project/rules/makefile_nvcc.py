"""AMD2103: a Makefile that compiles with nvcc only."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from ..file import ProjectFile
from ..makefile import Line

_NVCC = re.compile(r"(?<![\w./-])(?:\S*/)?nvcc(?![\w-])")
_REFERENCE = re.compile(r"\$[({](\w+)[)}]")
_FLAGS = re.compile(
    r"--use_fast_math|-use_fast_math|-gencode[= ]?\S*|--gpu-architecture\S*|--generate-code\S*|-arch[= ]?(?:sm|compute)_\S*"
    r"|-Xptxas\s+\S+|-Xcompiler\s+\S+|--expt-[\w-]+|--ptxas-options\S*|-maxrregcount\S*|-rdc=\S+|--threads\s+\d+"
)
_LIBRARIES = re.compile(
    r"(?<!\S)-l(?:cudart|cublas|cublasLt|cudnn|curand|cufft|cusparse|cusolver|nvrtc|nvidia-ml|nvToolsExt|nccl)\b"
)
_TWINS = {"cudart": "amdhip64", "cublas": "hipblas", "cublasLt": "hipblaslt", "curand": "hiprand", "cufft": "hipfft",
          "cusparse": "hipsparse", "cusolver": "hipsolver", "nvrtc": "hiprtc", "nccl": "rccl", "cudnn": "MIOpen",
          "nvToolsExt": "roctx64"}  # fmt: skip


@rule("AMD2103", triggers={"nvcc", "NVCC"})
def makefile_nvcc(file: ProjectFile) -> Iterator[Finding]:
    """Report the recipes, and the nvcc-only flags and CUDA libraries that they use."""
    if file.kind != "make" or file.for_both:
        return
    compilers = {v.name for v in file.makefile.variables if _NVCC.search(v.value) and not v.conditions}
    recipes = [r for r in file.makefile.recipes if not r.conditions and _compiles(r, compilers)]
    if not recipes:
        return
    used = {name for r in recipes for name in _REFERENCE.findall(r.value)}
    for _ in range(4):
        used |= {n for v in file.makefile.variables if v.name in used for n in _REFERENCE.findall(v.value)}
    fix = _fix(file, compilers, used)
    for variable in file.makefile.variables:
        if variable.name in used and not variable.conditions and variable.name not in compilers:
            if _FLAGS.search(variable.value):
                yield Finding(
                    "AMD2103", variable.start, variable.end, detail="hipcc refuses nvcc's flags", fix=fix
                )
            elif _LIBRARIES.search(variable.value):
                yield Finding(
                    "AMD2103", variable.start, variable.end, detail="ROCm has no such libraries", fix=fix
                )
    for recipe in file.makefile.recipes:
        if recipe in recipes:
            yield Finding("AMD2103", recipe.start, recipe.end, detail="needs nvcc", fix=fix)
        elif not recipe.conditions and _LIBRARIES.search(recipe.value):
            yield Finding("AMD2103", recipe.start, recipe.end, detail="ROCm has no such libraries")


def _compiles(recipe: Line, compilers: set[str]) -> bool:
    first = recipe.value.lstrip("@-+ ").split(" ", 1)[0]
    reference = _REFERENCE.fullmatch(first)
    return reference[1] in compilers if reference else bool(re.fullmatch(r"(?:\S*/)?nvcc", first))


def _fix(file: ProjectFile, compilers: set[str], used: set[str]) -> Fix | None:
    """Give the variables values for hipcc where hipcc is installed and the named nvcc is not."""
    variables = [
        v for v in file.makefile.variables if not v.conditions and (v.name in used or v.name in compilers)
    ]
    if (
        len(compilers) != 1
        or any(v.operator == "+=" for v in variables)
        or len({v.name for v in variables}) != len(variables)
    ):
        return None
    if any("nvcc" in r.value for r in file.makefile.recipes) or not variables:
        return None
    compiler = next(iter(compilers))
    if any("\n" in v.value or "$(shell" in v.value or "`" in v.value for v in variables):
        return None
    last = max(v.end for v in variables)
    stop = file.text.find("\n", last)
    if stop < 0 or any(r.line_start < stop for r in file.makefile.recipes):
        return None
    rows = [
        f"ifeq ($(shell command -v $({compiler}) 2>/dev/null),)",
        "ifneq ($(shell command -v hipcc 2>/dev/null),)",
        f"{compiler} = hipcc",
    ]
    for variable in variables:
        if variable.name == compiler:
            continue
        value = re.sub(r"\s+", " ", _FLAGS.sub("", variable.value)).strip()
        value = re.sub(r"\s+", " ", _LIBRARIES.sub(_twin, value)).strip()
        if value != re.sub(r"\s+", " ", variable.value).strip():
            rows.append(f"{variable.name} = {value}".rstrip())
    rows += ["endif", "endif"]
    newline = file.source.newline
    edit = Edit(stop + 1, stop + 1, newline.join(rows) + newline)
    return Fix("safe", "compile with hipcc where nvcc is not installed", (edit,))


def _twin(match: re.Match[str]) -> str:
    name = match[0][2:]
    return f"-l{_TWINS[name]}" if name in _TWINS else ""
