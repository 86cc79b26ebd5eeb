"""One question for all facts: what is this name on ROCm?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from . import (
    cuda,
    env_facts,
    env_var,
    expand_gfx,
    gpu,
    gpu_facts,
    package,
    package_facts,
    release,
    release_facts,
    tool,
    tool_facts,
    wheels_with,
)
from .gpus import FAMILIES
from .model import Gpu, Release

Status = Literal["same", "renamed", "differs", "none", "info"]


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one kind of fact says about a name."""

    kind: str
    """cuda, nvcc flag, intrinsic, environment variable, package, gpu, target family, rocm release, product ..."""
    name: str
    status: Status
    """same: nothing to change; renamed: another name; differs: behaves otherwise; none: nothing like it;
    info: a statement about AMD's side."""
    amd: str | None = None
    """What it is called, or what to use, on ROCm."""
    library: str | None = None
    since: str | None = None
    rows: tuple[tuple[str, str], ...] = ()
    """Further facts: label and text."""
    sources: tuple[str, ...] = ()
    as_of: str | None = None


def look_up(name: str) -> list[Answer]:
    """All that the facts say about a name, the most telling answer first; empty when they say nothing."""
    asked = name.strip().strip("`'\"").rstrip("();,")
    found = list(_answers(asked))
    if not found:
        other = _other_case(asked)
        found = list(_answers(other)) if other else []
    return found


def _answers(name: str) -> Iterator[Answer]:
    if not name:
        return
    if cuda.looks_like_flag(name):
        yield from _flag(name)
    yield from _cuda(name)
    yield from _hip(name)
    yield from _env(name)
    yield from _system(name)
    yield from _gpu(name)
    yield from _release(name)
    yield from _package(name)
    yield from _tool(name)
    yield from _product(name)


def _flag(text: str) -> Iterator[Answer]:
    flag = cuda.nvcc_flag(text)
    if flag is None:
        return
    status: Status = "same" if flag.on_rocm == "same" else "differs" if flag.on_rocm == "trap" else "none"
    how = {
        "same": "clang takes it as it is",
        "refused": "clang (hipcc) stops with an error",
        "ignored": "clang (hipcc) accepts it without effect",
        "trap": "clang (hipcc) reads it as something else",
    }[flag.on_rocm]
    rows = [("nvcc", flag.does), ("on ROCm", how)]
    if flag.note:
        rows.append(("note", flag.note))
    yield Answer(
        kind="nvcc option",
        name=flag.flag,
        status=status,
        amd=flag.instead,
        rows=tuple(rows),
        sources=flag.sources,
        as_of=flag.as_of,
    )


def _cuda(name: str) -> Iterator[Answer]:
    words = cuda.intrinsic(name)
    table = cuda.cuda_name(name)
    if words is not None:
        yield Answer(
            kind={"api": "CUDA API", "ptx": "PTX"}.get(words.kind, words.kind),
            name=name if "*" in words.name or name in words.aliases else words.name,
            status=words.rocm,
            amd=words.hip or (table.hip if table else None),
            library=words.library or (table.library if table and table.library != "headers" else None),
            since=words.since or (table.since if table else None),
            rows=(("on ROCm", words.says),),
            sources=words.sources,
            as_of=words.as_of,
        )
        return
    if table is None:
        return
    meta = cuda.cuda_meta()
    rows: list[tuple[str, str]] = []
    if table.kind == "header":
        kind = "header"
    else:
        kind = f"{table.cuda_library} {table.kind}"
    if table.cuda_since or table.cuda_deprecated or table.cuda_removed:
        parts = [
            f"{word} {value}"
            for word, value in (
                ("since", table.cuda_since),
                ("deprecated", table.cuda_deprecated),
                ("removed", table.cuda_removed),
            )
            if value
        ]
        rows.append(("CUDA", ", ".join(parts)))
    if table.hip_deprecated or table.hip_removed:
        rows.append(
            (
                "HIP",
                f"deprecated since {table.hip_deprecated or '?'}"
                + (f", removed in {table.hip_removed}" if table.hip_removed else ""),
            )
        )
    if table.hip_experimental:
        rows.append(("HIP", "experimental"))
    if table.unsupported_for_cuda:
        rows.append(("on ROCm", f"the signature of CUDA {table.unsupported_for_cuda} is not supported"))
    if table.library == "RCCL":
        status: Status = "same"
        rows.append(
            ("on ROCm", "RCCL keeps NCCL's names and NCCL_* variables; include <rccl/rccl.h>, link rccl")
        )
        source, as_of = meta["rccl_source"], f"RCCL {meta['rccl']}"
    else:
        status = "none" if table.hip is None else "same" if table.hip == table.name else "renamed"
        source, as_of = meta["source"], f"HIPIFY {meta['date']} (ROCm {meta['rocm']}, CUDA {meta['cuda']})"
        if table.newer:
            source, as_of = cuda.newer_facts().meta.sources[0], cuda.newer_facts().meta.as_of
        if table.hip is None:
            rows.append(
                (
                    "on ROCm",
                    f"no counterpart in HIPIFY's tables for ROCm {meta['rocm']}; a newer ROCm may have one",
                )
            )
    yield Answer(
        kind=kind,
        name=table.name,
        status=status,
        amd=table.hip,
        library=None if table.library == "headers" else table.library,
        since=table.since,
        rows=tuple(rows),
        sources=(source,),
        as_of=as_of,
    )


def _hip(name: str) -> Iterator[Answer]:
    """A HIP name: which CUDA names become it."""
    if not re.match(r"(hip|HIP|roc|miopen|MIOPEN)", name):
        return
    twins = cuda.cuda_twins(name)
    if twins:
        meta = cuda.cuda_meta()
        yield Answer(
            kind="HIP name",
            name=name,
            status="info",
            library=twins[0].library if twins[0].library != "headers" else None,
            since=twins[0].since,
            rows=(("CUDA", ", ".join(t.name for t in twins[:8])),),
            sources=(meta["source"],),
            as_of=f"HIPIFY {meta['date']} (ROCm {meta['rocm']}, CUDA {meta['cuda']})",
        )


def _env(name: str) -> Iterator[Answer]:
    var = env_var(name)
    if var is None:
        for other in env_facts().env_vars:
            if any(name == n.split()[0] for n in other.cuda_names):
                var = other
                break
    if var is None:
        return
    rows = [("does", var.does), ("default", var.default), ("read by", f"{var.component} ({var.scope} time)")]
    if var.cuda_names:
        rows.append(("CUDA name", ", ".join(var.cuda_names)))
    if var.until:
        rows.append(("until", var.until))
    if var.danger:
        rows.append(("careful", var.danger))
    yield Answer(
        kind="environment variable",
        name=var.name,
        status="info",
        since=var.since,
        rows=tuple(rows),
        sources=var.sources,
        as_of=var.as_of,
    )


def _system(name: str) -> Iterator[Answer]:
    for option in env_facts().alloc_conf_options:
        if name in option.option.split(" / "):
            rows = [("meaning", option.meaning), ("on ROCm", option.rocm), ("default", option.default)]
            if option.note:
                rows.append(("note", option.note))
            yield Answer(
                kind="PYTORCH_ALLOC_CONF option",
                name=name,
                status="info",
                rows=tuple(rows),
                sources=option.sources,
                as_of=option.as_of,
            )
    for setting in env_facts().system_settings:
        if name in (setting.name, setting.name.split(" ")[0].partition("=")[0]):
            yield Answer(
                kind=setting.kind,
                name=setting.name,
                status="info",
                rows=(("does", setting.does),),
                sources=setting.sources,
                as_of=setting.as_of,
            )


def _gpu(name: str) -> Iterator[Answer]:
    lower = name.lower()
    if lower in FAMILIES or ("*" in lower and lower.startswith("gfx")):
        try:
            members = sorted(expand_gfx(lower), key=lambda g: (len(g), g))
        except ValueError:
            return
        yield Answer(
            kind="target family",
            name=lower,
            status="info",
            rows=(("targets", ", ".join(members)),),
            sources=gpu_facts().meta.sources,
            as_of=gpu_facts().meta.as_of,
        )
        return
    found = gpu(name)
    if found is not None:
        yield _about_gpu(found)


def _about_gpu(g: Gpu) -> Answer:
    t, card = g.target, g.card
    rows = [
        ("target", f"{t.gfx}, {t.generation}"),
        ("capability", f"({t.capability[0]}, {t.capability[1]}) from torch.cuda.get_device_capability()"),
        ("wavefront", str(t.wavefront)),
        ("LDS", f"{t.lds_kib} KiB for one workgroup" if t.lds_kib else "not known"),
        ("matrix unit", t.matrix),
        ("fp8", t.fp8_note or t.fp8),
    ]
    if t.bf16:
        rows.append(("bf16", t.bf16))
    if card:
        where = [
            n for n, yes in (("Linux", card.linux), ("Windows", card.windows), ("WSL2", card.wsl2)) if yes
        ]
        rows.append(("ROCm 10.x", "supported on " + ", ".join(where) if where else "in no support list"))
        if card.linux_note:
            rows.append(("Linux", card.linux_note))
        if card.memory:
            rows.append(("memory", card.memory))
    rows.append(("ROCm", t.rocm))
    wheels = wheels_with(t.gfx)
    if wheels:
        rows.append(
            (
                "wheels",
                f"in {len(wheels)} official ones, from torch {wheels[0].torch}+rocm{wheels[0].rocm} to {wheels[-1].torch}+rocm{wheels[-1].rocm}",
            )
        )
    else:
        rows.append(
            (
                "wheels",
                "in no official PyTorch wheel"
                + ("" if t.torch_wheels in ("no", "never") else f"; {t.torch_wheels}"),
            )
        )
    if t.amd_wheels:
        rows.append(("AMD wheels", t.amd_wheels))
    rows += [("attention", t.sdpa), ("hipBLASLt", t.hipblaslt)]
    if t.override or t.override_note:
        rows.append(
            (
                "override",
                (f"HSA_OVERRIDE_GFX_VERSION={t.override}; " if t.override else "") + (t.override_note or ""),
            )
        )
    if t.note:
        rows.append(("note", t.note))
    sources = dict.fromkeys((*(card.sources if card else ()), *t.sources))
    return Answer(
        kind="GPU" if card or not g.name.startswith("gfx") else "gfx target",
        name=g.name,
        status="info",
        rows=tuple((label, text.rstrip("; ")) for label, text in rows),
        sources=tuple(sources),
        as_of=t.as_of,
    )


def _release(name: str) -> Iterator[Answer]:
    found = re.fullmatch(r"(?:rocm[ =_-]{0,2})?(\d+\.\d+(?:\.\d+)?)", name.lower())
    row = release(found[1]) if found else None
    if row is None:
        return
    yield Answer(
        kind="ROCm release",
        name=row.version,
        status="info",
        rows=tuple(_release_rows(row)),
        sources=row.sources,
        as_of=row.as_of,
    )


def _release_rows(row: Release) -> Iterator[tuple[str, str]]:
    from . import wheel_index

    yield "released", row.released or "not verified"
    yield "stream", row.stream_note
    listed: list[tuple[str, Any]] = [
        ("status", row.status),
        ("PyTorch", row.pytorch or row.pytorch_instinct),
        ("gfx", row.gfx),
        ("OS", row.os or row.os_instinct),
        ("breaking", row.breaking),
        ("known issues", row.known_issues),
        ("notes", row.notes),
    ]
    for label, value in listed:
        if value:
            yield label, value if isinstance(value, str) else "; ".join(value)
    yield "wheel index", wheel_index(row.version) or "none on download.pytorch.org"


def _package(name: str) -> Iterator[Answer]:
    found = package(name)
    if found is None:
        return
    status: Status = {"yes": "same", "no": "none", "retired": "none"}.get(found.rocm, "differs")  # type: ignore[assignment]
    rows = [("on ROCm", found.rocm_note or found.rocm)]
    for label, value in (
        ("since", found.since),
        ("install", found.install),
        ("notes", found.notes),
        ("PyPI", found.pypi),
    ):
        if value:
            rows.append((label, value))
    rows += [("careful", trap) for trap in found.traps]
    yield Answer(
        kind="package",
        name=found.name,
        status=status,
        amd=found.use_instead,
        rows=tuple(rows),
        sources=found.sources,
        as_of=found.as_of,
    )


def _tool(name: str) -> Iterator[Answer]:
    found = tool(name)
    if found is None:
        return
    rows = [("what", found.what), ("runs on", {"any": "any system"}.get(found.platform, found.platform))]
    for label, value in (("since", found.since), ("until", found.until), ("note", found.note)):
        if value:
            rows.append((label, value))
    yield Answer(
        kind="command-line tool",
        name=found.name,
        status="info",
        rows=tuple(rows),
        sources=found.sources,
        as_of=found.as_of,
    )


def _product(name: str) -> Iterator[Answer]:
    for twin in package_facts().nvidia_to_amd:
        names = {n.strip().lower() for n in re.split(r"[/,]", twin.nvidia)} | {twin.nvidia.lower()}
        if name.lower() in names:
            yield Answer(
                kind="NVIDIA product",
                name=twin.nvidia,
                status="renamed",
                amd=twin.amd,
                since=twin.since,
                sources=twin.sources,
                as_of=twin.as_of,
            )


def all_names() -> list[str]:
    """Every name that a question could have meant, for suggestions."""
    names = cuda.cuda_names()
    names += [n for row in cuda.flag_facts().flags for n in (row.flag, *row.spellings)]
    names += [
        n for row in cuda.intrinsic_facts().intrinsics for n in (row.name, *row.aliases) if "*" not in n
    ]
    names += [v.name for v in env_facts().env_vars if "*" not in v.name and "<" not in v.name]
    names += [n for p in package_facts().packages for n in (p.name, *p.aliases)]
    names += [n for t in tool_facts().tools for n in (t.name, *t.aliases)]
    names += [c.name for c in gpu_facts().cards] + [t.gfx for t in gpu_facts().targets] + list(FAMILIES)
    names += [r.version for r in release_facts().releases]
    return list(dict.fromkeys(names))


def _other_case(name: str) -> str | None:
    """The one known name that differs only in letter case."""
    lower = name.lower()
    found = [n for n in all_names() if n.lower() == lower]
    return found[0] if len(found) == 1 else None
