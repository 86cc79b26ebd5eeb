"""Which files are project files, told from the name alone.

The kind decides how a file is read; what a YAML or JSON file is for (compose, Kubernetes, a training
config ...) is decided later from its content, see ``file.ProjectFile.role``.
"""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal[
    "requirements", "toml", "ini", "conda", "dockerfile", "yaml", "json", "shell", "make", "cmake"
]

_REQUIREMENTS = re.compile(
    r"(?:[\w.+-]*[._-])?(?:requirements?|reqs?|constraints?)(?:[._-][\w.+-]*)?\.(?:txt|in|pip)", re.I
)
_REQUIREMENT_FOLDERS = frozenset({"requirements", "requirement", "reqs", "constraints"})
_CONDA = re.compile(r"(?:[\w.+-]*[._-])?(?:environment|env|conda)(?:[._-][\w.+-]*)?\.ya?ml", re.I)
_DOCKERFILE = re.compile(r"(?:(?:[\w.+-]*[._-])?(?:dockerfile|containerfile)(?:[._-][\w.+-]*)?)", re.I)
_MAKEFILE = re.compile(r"(?:gnu)?makefile(?:[._-][\w.+-]*)?", re.I)
_SHELL_ENDINGS = frozenset({".sh", ".bash", ".zsh", ".sbatch", ".slurm", ".slrm", ".pbs", ".lsf"})
_TOML_NAMES = frozenset({"pyproject.toml", "pipfile", "pixi.toml", "uv.toml"})
# JSON that tools generate or that belongs to other ecosystems: never worth a look.
_FOREIGN_JSON = re.compile(
    r"(?:package(?:-lock)?|composer|tsconfig[\w.-]*|jsconfig|tokenizer[\w.-]*|vocab|merges|special_tokens_map"
    r"|generation_config|preprocessor_config|[\w.-]*\.index)\.json",
    re.I,
)
_OTHER_TEXT = frozenset(
    {
        ".md",
        ".rst",
        ".txt",
        ".py",
        ".html",
        ".orig",
        ".rej",
        ".patch",
        ".diff",
        ".jinja",
        ".j2",
        ".tmpl",
        ".template",
    }
)


def kind_of(path: str | PurePath) -> Kind | None:
    """The kind of project file that this name promises; None for every other file."""
    path = PurePath(path)
    name, ending = path.name, path.suffix.lower()
    lower = name.lower()
    if ending in (".txt", ".in", ".pip"):
        if lower == "cmakelists.txt":
            return "cmake"
        if _REQUIREMENTS.fullmatch(name) or path.parent.name.lower() in _REQUIREMENT_FOLDERS:
            return "requirements"
        return None
    if lower in _TOML_NAMES:
        return "toml"
    if lower == "setup.cfg":
        return "ini"
    if ending == ".cmake":
        return "cmake"
    if ending == ".mk" or (_MAKEFILE.fullmatch(name) and ending not in _OTHER_TEXT):
        return "make"
    if _DOCKERFILE.fullmatch(name) and ending not in _OTHER_TEXT and ending not in _SHELL_ENDINGS:
        return "dockerfile" if ending not in (".yml", ".yaml", ".json") else None
    if ending in _SHELL_ENDINGS:
        return "shell"
    if ending in (".yml", ".yaml"):
        return "conda" if _CONDA.fullmatch(name) else "yaml"
    if ending in (".json", ".jsonc"):
        return None if _FOREIGN_JSON.fullmatch(name) else "json"
    return None
