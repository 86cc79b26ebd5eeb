"""CUDA names and their HIP counterparts: HIPIFY's tables, nvcc options, intrinsics."""

from __future__ import annotations

import fnmatch
import re
from functools import lru_cache
from typing import Any

import msgspec

from .files import FOLDER, load
from .model import CudaName, FlagFile, Intrinsic, IntrinsicFile, NewerFile, NewerName, NvccFlag


class _Group(msgspec.Struct):
    """The names of one CUDA library that have the same kind; a row is ``[hip, since, {more}]``, cut from the right."""

    cuda: str
    amd: str
    kind: str
    names: dict[str, list[Any]]


class _Table(msgspec.Struct):
    meta: dict[str, str]
    groups: list[_Group]


@lru_cache(maxsize=1)
def _table() -> _Table:
    return msgspec.json.decode((FOLDER / "cuda_hip.json").read_bytes(), type=_Table)


def cuda_meta() -> dict[str, str]:
    """Which HIPIFY the tables come from: source, commit, date, rocm, cuda, licence, rccl ..."""
    return _table().meta


@lru_cache(maxsize=1)
def newer_facts() -> NewerFile:
    """Everything in cuda_hip_newer.yaml."""
    return load("cuda_hip_newer", NewerFile)


@lru_cache(maxsize=1)
def _newer() -> dict[str, NewerName]:
    return {row.cuda: row for row in newer_facts().names}


def cuda_names() -> list[str]:
    """All names of the tables."""
    names = [name for group in _table().groups for name in group.names]
    return list(dict.fromkeys([*names, *_newer()]))


def cuda_name(name: str) -> CudaName | None:
    """The row of this CUDA name. Header names may come with ``<>`` or quotes."""
    asked = name.strip().strip('<>"')
    first: CudaName | None = None
    newer = _newer().get(asked)
    if newer is not None:
        return CudaName(
            name=asked,
            kind="function",
            cuda_library="CUDA runtime",
            library="HIP runtime",
            hip=newer.hip,
            since=newer.since,
            newer=True,
            hip_experimental="yes" if newer.experimental else None,
            unsupported_for_cuda=newer.unsupported_for_cuda,
        )
    for group in _table().groups:
        row = group.names.get(asked)
        if row is None:
            continue
        found = _row(asked, group, row)
        # A few names stand in two tables (driver and runtime): the row with a counterpart says more.
        if found.hip:
            return found
        first = first or found
    return first


def cuda_twins(hip: str) -> list[CudaName]:
    """The CUDA names that become this HIP name."""
    return [
        _row(name, group, row)
        for group in _table().groups
        for name, row in group.names.items()
        if row and row[0] == hip
    ]


def _row(name: str, group: _Group, row: list[Any]) -> CudaName:
    more: dict[str, Any] = row[2] if len(row) > 2 else {}
    return CudaName(
        name=name,
        kind=group.kind,
        cuda_library=group.cuda,
        library=group.amd,
        hip=(row[0] if row else None) or None,
        since=(row[1] if len(row) > 1 else None) or None,
        **more,
    )


def library_counts() -> list[tuple[str, str, int, int]]:
    """(CUDA library, AMD library, names known, names with a counterpart), sorted."""
    counts: dict[tuple[str, str], tuple[int, int]] = {}
    for group in _table().groups:
        known, matched = counts.get((group.cuda, group.amd), (0, 0))
        twins = sum(1 for row in group.names.values() if row and row[0])
        counts[group.cuda, group.amd] = (known + len(group.names), matched + twins)
    return [(*names, *numbers) for names, numbers in sorted(counts.items())]


@lru_cache(maxsize=1)
def flag_facts() -> FlagFile:
    """Everything in nvcc_flags.yaml."""
    return load("nvcc_flags", FlagFile)


@lru_cache(maxsize=1)
def intrinsic_facts() -> IntrinsicFile:
    """Everything in intrinsics.yaml."""
    return load("intrinsics", IntrinsicFile)


def nvcc_flag(text: str) -> NvccFlag | None:
    """The nvcc option that ``text`` uses, with or without a value: ``-gencode=arch=...``, ``--maxrregcount 64``."""
    asked = text.strip().split()[0] if text.strip() else ""
    name = asked.partition("=")[0]
    for row in flag_facts().flags:
        if asked in (row.flag, *row.spellings):
            return row
    for row in flag_facts().flags:
        if row.takes_value and name in (row.flag, *row.spellings):
            return row
    return None


def intrinsic(name: str) -> Intrinsic | None:
    """The row of an intrinsic, PTX instruction, header, macro or library; exact names go before patterns."""
    asked = name.strip().strip('<>"')
    rows = intrinsic_facts().intrinsics
    for row in rows:
        if asked in (row.name, *row.aliases):
            return row
    for row in rows:
        for pattern in (row.name, *row.aliases):
            if "*" in pattern and fnmatch.fnmatchcase(asked, pattern):
                return row
    lower = asked.lower()
    for row in rows:
        if row.kind in ("library", "ptx") and lower in (n.lower() for n in (row.name, *row.aliases)):
            return row
    return None


def looks_like_flag(text: str) -> bool:
    """Whether the text can only be a compiler option."""
    return bool(re.match(r"--?[A-Za-z]", text.strip()))
