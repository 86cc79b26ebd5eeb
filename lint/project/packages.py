"""Which requirements a package rule may report."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from .file import ProjectFile
from .requirements import Requirement, normalise

# PyTorch minor version: the newest stable ROCm wheel index that has it.
_TORCH_INDEX = {
    "1.13": "rocm5.2", "2.0": "rocm5.4.2", "2.1": "rocm5.6", "2.2": "rocm5.7", "2.3": "rocm6.0", "2.4": "rocm6.1", "2.5": "rocm6.2",
    "2.6": "rocm6.2.4", "2.7": "rocm6.3", "2.8": "rocm6.4", "2.9": "rocm6.4", "2.10": "rocm7.1", "2.11": "rocm7.2",
    "2.12": "rocm7.2", "2.13": "rocm7.2", "2.14": "rocm7.2",
}  # fmt: skip
NEWEST_INDEX = "rocm7.2"


def asked(file: ProjectFile, names: str) -> Iterator[Requirement]:
    """Requirements whose whole name matches the pattern, outside guards and one-vendor files."""
    pattern = re.compile(names)
    if not pattern.search(file.normalised) or file.for_both:
        return  # the cheaper question first: most files name none of the packages
    stem = normalise(
        re.sub(r"^(?:requirements?|reqs?)[-_.]|[-_.](?:requirements?|reqs?)$", "", file.path.stem)
    )
    for requirement in file.requirements:
        if file.kind == "requirements" and stem in (requirement.name, requirement.name.split("-")[0]):
            continue  # requirements/vllm.txt is for those who ask for vLLM
        if not requirement.guarded and pattern.fullmatch(requirement.name):
            yield requirement


@lru_cache(maxsize=4)
def torch_version(file: ProjectFile) -> str | None:
    """The minor version of PyTorch that the file pins (``2.4``), if it pins one."""
    for requirement in file.requirements:
        if requirement.name in ("torch", "pytorch"):
            found = re.match(r"[=~]{1,3}\s*(\d+\.\d+)", requirement.spec)
            if found:
                return found[1]
    return None


def rocm_index(file: ProjectFile) -> str | None:
    """The ROCm wheel index for the PyTorch that the file asks for, e.g. ``rocm7.2``; None where none has it."""
    asked_rocm = file.settings.rocm
    if asked_rocm:
        from ...kb.facts import wheel_index

        url = wheel_index(asked_rocm)
        if url:
            return str(url).rsplit("/", 1)[-1]
    pinned = torch_version(file)
    return _TORCH_INDEX.get(pinned) if pinned else NEWEST_INDEX


def only_editable(file: ProjectFile, requirement: Requirement) -> bool:
    """Whether an install command also names a local checkout (``pip install -e .``), which says how it is built."""
    if requirement.form != "command":
        return False
    line_start = file.text.rfind("\n", 0, requirement.start) + 1
    return re.search(r"\s(?:-e|--editable)\s", file.text[line_start : requirement.start]) is not None


def python_knows_amd(file: ProjectFile) -> bool:
    """Whether the Python code of the same project asks for AMD's counterpart of NVML."""
    folder = _project_folder(file)
    repo = file.repo

    def asks() -> bool:
        return any(folder in p.parents and _AMD_MONITOR.search(repo.read(p)) for p in repo.python_files)

    return repo.memo(("Python code knows AMD's monitor", folder), asks)


def _project_folder(file: ProjectFile) -> Path:
    """The nearest folder above the file that holds a Python project, else the file's own."""
    marks = ("pyproject.toml", "setup.py", "setup.cfg")
    projects = file.repo.memo(
        "folders of Python projects", lambda: {f.parent for f in file.repo.files if f.name in marks}
    )
    for folder in file.path.parents:
        if folder in projects:
            return folder
    folder = file.path.parent
    return folder.parent if folder.name in ("requirements", "requirement", "docker") else folder


_AMD_MONITOR = re.compile(rb"amdsmi|amd-smi|rocm-smi|rocm_smi|pyrsmi|version\.hip|is_rocm|is_hip")
