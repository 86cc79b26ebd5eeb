"""Facts with sources: GPUs, ROCm releases, environment variables, packages.

All look-ups are lazy: a file of facts is read when it is first asked for.
"""

from __future__ import annotations

import fnmatch
import re
from functools import lru_cache

from .cuda import cuda_name, intrinsic, nvcc_flag
from .files import FactsError, load
from .gpus import CURRENT_TARGETS, FAMILIES, cards, expand_gfx, gpu, gpu_facts, override_for, target, targets
from .model import (
    AmdIndex,
    Card,
    EnvFile,
    EnvVar,
    Gpu,
    Package,
    PackageFile,
    Release,
    ReleaseFile,
    Target,
    Tool,
    ToolFile,
    TorchIndex,
    Wheel,
)

__all__ = [
    "CURRENT_TARGETS",
    "FAMILIES",
    "AmdIndex",
    "Card",
    "EnvVar",
    "FactsError",
    "Gpu",
    "Package",
    "Release",
    "Target",
    "Tool",
    "TorchIndex",
    "Wheel",
    "cards",
    "cuda_name",
    "env_facts",
    "env_var",
    "expand_gfx",
    "gpu",
    "gpu_facts",
    "intrinsic",
    "nvcc_flag",
    "override_for",
    "package",
    "package_facts",
    "release",
    "release_facts",
    "target",
    "targets",
    "tool",
    "tool_facts",
    "wheel_index",
    "wheels_with",
]


@lru_cache(maxsize=1)
def release_facts() -> ReleaseFile:
    """Everything in rocm_releases.yaml."""
    return load("rocm_releases", ReleaseFile)


@lru_cache(maxsize=1)
def env_facts() -> EnvFile:
    """Everything in env_vars.yaml."""
    return load("env_vars", EnvFile)


@lru_cache(maxsize=1)
def package_facts() -> PackageFile:
    """Everything in packages.yaml."""
    return load("packages", PackageFile)


@lru_cache(maxsize=1)
def tool_facts() -> ToolFile:
    """Everything in tools.yaml."""
    return load("tools", ToolFile)


def tool(name: str) -> Tool | None:
    """The command-line tool with this name; ``.exe`` and letter case do not count."""
    asked = name.lower().removesuffix(".exe")
    return _tools().get(asked)


@lru_cache(maxsize=1)
def _tools() -> dict[str, Tool]:
    return {n.lower(): t for t in tool_facts().tools for n in (t.name, *t.aliases)}


def _numbers(version: str) -> tuple[int, ...]:
    """The leading numbers of a version in any spelling: ``rocm7.2``, ``7.2.1``, ``6.2.41133-dd7f95766``."""
    found = re.match(r"\D{0,12}(\d+(?:\.\d+)*)", version)
    return tuple(int(n) for n in found[1].split(".")) if found else ()


def release(version: str) -> Release | None:
    """The release with this version; ``7.2`` gives the newest 7.2.x."""
    asked = _numbers(version)
    if not asked:
        return None
    rows = release_facts().releases  # newest first
    for row in rows:
        first = _numbers(row.version)
        if first[: len(asked)] == asked:
            return row
        if row.through and first <= (*asked, 0, 0)[:3] <= _numbers(row.through):
            return row
    return None


def wheel_index(rocm: str) -> str | None:
    """Address of pytorch.org's wheel index for a ROCm version, or None when there is no such index.

    The exact version is preferred (6.2.4 has an index of its own), then major.minor.
    """
    asked = _numbers(rocm)
    if len(asked) < 2:
        return None
    indexes = {_numbers(i.rocm): i.url for i in release_facts().pytorch_indexes}
    for key in (asked, asked[:2]):
        if key in indexes:
            return indexes[key]
    # 5.1 and 5.4 were published only under a patch version.
    return (
        next((url for key, url in indexes.items() if key[:2] == asked[:2]), None) if len(asked) == 2 else None
    )


def wheels_with(gfx: str) -> list[Wheel]:
    """The official PyTorch wheels whose list of targets names ``gfx``, oldest first.

    Being in the list means that torch's own kernels were compiled for the target; the libraries inside
    the wheel may still lack it (see the trap ``arch-list-is-not-support``).
    """
    name = gfx.lower().partition(":")[0]
    return [w for w in gpu_facts().wheels if name in w.targets]


def env_var(name: str) -> EnvVar | None:
    """The variable with this name (any letter case; ``NAME=value`` is understood)."""
    asked = name.partition("=")[0].strip().removeprefix("$").upper()
    best = None
    for var in env_facts().env_vars:
        known = var.name.upper()
        if known == asked:
            return var
        pattern = re.sub(r"<[^>]+>", "*", known)
        if "*" in pattern and best is None and fnmatch.fnmatchcase(asked, pattern):
            best = var
    return best


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name.strip().lower())


@lru_cache(maxsize=1)
def _packages() -> dict[str, Package]:
    known: dict[str, Package] = {}
    for p in package_facts().packages:
        for name in (p.name, *p.aliases):
            known.setdefault(_normal(name), p)
    return known


def package(name: str) -> Package | None:
    """The package with this distribution name or alias, in any spelling that PEP 503 allows."""
    asked = _normal(re.split(r"[\[<>=!~; ]", name.strip(), maxsplit=1)[0])
    found = _packages().get(asked)
    if found is None and re.match(r"nvidia-(cu|nc|nv)", asked):
        found = _packages().get("nvidia-* wheels")
    if found is None and re.match(r"rocm-sdk-|amd-torch-device-|amd-torchvision-device-", asked):
        found = _packages().get("rocm")
    return found
