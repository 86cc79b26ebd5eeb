#!/usr/bin/env python3
"""Regenerate kb/facts/cuda_hip.json from a checkout of ROCm/HIPIFY (and, optionally, of ROCm/rccl).

    git clone https://github.com/ROCm/HIPIFY
    python tools/refresh_cuda_hip.py HIPIFY --rccl rccl

HIPIFY (MIT licence) publishes, as tables, which name of the CUDA libraries has which name in HIP, and
since which version. Only those facts are taken: names and version numbers. NCCL names are not part of
HIPIFY; RCCL keeps them, so its public header says which of them exist.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

# table of HIPIFY: (CUDA library, AMD library). HIPIFY's cuBLAS table also holds cuBLASLt.
TABLES = {
    "CUDA_Runtime_API_functions_supported_by_HIP": ("CUDA runtime", "HIP runtime"),
    "CUDA_Driver_API_functions_supported_by_HIP": ("CUDA driver", "HIP runtime"),
    "CUDA_RTC_API_supported_by_HIP": ("NVRTC", "hipRTC"),
    "CUDA_Device_API_supported_by_HIP": ("CUDA device code", "HIP device code"),
    "cuComplex_API_supported_by_HIP": ("cuComplex", "HIP"),
    "CUBLAS_API_supported_by_HIP": ("cuBLAS", "hipBLAS"),
    "CUSPARSE_API_supported_by_HIP": ("cuSPARSE", "hipSPARSE"),
    "CUSOLVER_API_supported_by_HIP": ("cuSOLVER", "hipSOLVER"),
    "CUFFT_API_supported_by_HIP": ("cuFFT", "hipFFT"),
    "CURAND_API_supported_by_HIP": ("cuRAND", "hipRAND"),
    "CUTENSOR_API_supported_by_HIP": ("cuTENSOR", "hipTensor"),
    "CUB_API_supported_by_HIP": ("CUB", "hipCUB"),
    "CUDNN_API_supported_by_MIOPEN": ("cuDNN", "MIOpen"),
}
INCLUDES = "src/CUDA2HIP.cpp"
# HIPIFY still writes the header names of ROCm 5; the wrappers at the top of include/ are gone since ROCm 6,
# PyTorch's own map (torch/utils/hipify/cuda_to_hip_mappings.py) has the names below.
MOVED_HEADERS = {
    "hipblas.h": "hipblas/hipblas.h",
    "hipblaslt.h": "hipblaslt/hipblaslt.h",
    "hipsolver.h": "hipsolver/hipsolver.h",
    "hipsparse.h": "hipsparse/hipsparse.h",
    "hiptensor.h": "hiptensor/hiptensor.h",
}
OUT = Path(__file__).parent.parent / "kb" / "facts" / "cuda_hip.json"


def main(argv: list[str] | None = None) -> int:
    """Write the file; the exit code is 1 when the checkout lacks a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("hipify", type=Path, help="checkout of ROCm/HIPIFY")
    parser.add_argument("--rccl", type=Path, help="checkout of ROCm/rccl")
    parser.add_argument("--commit", help="HIPIFY's commit (default: ask git in the checkout)")
    parser.add_argument("--date", help="the commit's date (default: ask git)")
    parser.add_argument("--rccl-commit", help="RCCL's commit (default: ask git)")
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args(argv)
    folder = args.hipify / "docs" / "reference" / "tables"
    if not folder.is_dir():
        folder = args.hipify / "docs" / "tables"  # where HIPIFY kept them until 2024
    groups: list[dict[str, Any]] = []
    for table, (cuda, amd) in TABLES.items():
        file = folder / f"{table}.md"
        if not file.is_file():
            print(f"{file}: not there", file=sys.stderr)
            return 1
        groups += read_table(file.read_text("utf-8"), cuda, amd)
    groups.append(read_headers((args.hipify / INCLUDES).read_text("utf-8")))
    meta = {
        "source": "https://github.com/ROCm/HIPIFY",
        "commit": args.commit or git(args.hipify, "rev-parse", "HEAD"),
        "date": args.date or git(args.hipify, "log", "-1", "--format=%cs"),
        "rocm": highest((args.hipify / "src" / "Statistics.h").read_text("utf-8"), "HIP"),
        "cuda": highest((args.hipify / "src" / "Statistics.h").read_text("utf-8"), "CUDA"),
        "licence": "MIT, Copyright (c) Advanced Micro Devices, Inc.",
        "note": "Names and version numbers only. A row is name: [HIP name, since ROCm, more]; an empty row has no counterpart.",
    }
    if args.rccl:
        group, version = read_rccl(args.rccl)
        groups.append(group)
        meta["rccl_source"] = "https://github.com/ROCm/rccl"
        meta["rccl_commit"] = args.rccl_commit or git(args.rccl, "rev-parse", "HEAD")
        meta["rccl"] = version
    args.out.write_text(render(meta, groups), encoding="utf-8")
    total = sum(len(g["names"]) for g in groups)
    print(f"{args.out}: {total} names from HIPIFY {meta['commit'][:12]}")
    return 0


def git(folder: Path, *command: str) -> str:
    """The output of a git command in a checkout."""
    return subprocess.run(
        ["git", "-C", str(folder), *command], check=True, capture_output=True, text=True
    ).stdout.strip()


def highest(statistics: str, prefix: str) -> str:
    """The newest version that HIPIFY's ``Statistics.h`` knows: HIP_7000 is 7.0.0, CUDA_129 is 12.9."""
    found = re.search(rf"\b{prefix}_LATEST = {prefix}_(\d+)", statistics)
    if not found:
        return "unknown"
    digits = found[1]
    if prefix == "HIP":
        number = int(digits)
        return f"{number // 1000}.{number // 10 % 100}.{number % 10}"
    return f"{digits[:-1]}.{digits[-1]}"


def read_table(text: str, cuda: str, amd: str) -> list[dict[str, Any]]:
    """The groups (one for each kind of name) of one Markdown table file."""
    found: dict[tuple[str, str, str], dict[str, list[Any]]] = {}
    section, columns = "", []
    for line in text.splitlines():
        if line.startswith("## "):
            section = line.strip("# *")
        elif line.startswith("|**CUDA**|"):
            columns = [c.strip("*") for c in line.strip("|").split("|")]
        elif line.startswith("|`"):
            cells = [c.strip().strip("`") for c in line[1:].rstrip("|").split("|")]
            cells += [""] * (len(columns) - len(cells))
            name = cells[0]
            twin = next(i for i, c in enumerate(columns) if i and len(c) > 1)
            row = twin_row(columns, cells, twin)
            library, other = cuda, amd
            if name.lower().startswith("cublaslt"):
                library, other = "cuBLASLt", "hipBLASLt"
            found.setdefault((library, other, kind_of(name, section)), {})[name] = row
    return [{"cuda": c, "amd": a, "kind": k, "names": names} for (c, a, k), names in found.items()]


def twin_row(columns: list[str], cells: list[str], twin: int) -> list[Any]:
    """``[hip, since, {more}]``, shortened from the right; more: versions of CUDA and of later changes."""
    cuda = dict(zip(columns[1:twin], cells[1:twin], strict=False))
    hip = dict(zip(columns[twin + 1 :], cells[twin + 1 :], strict=False))
    more = {
        key: value
        for key, value in {
            "cuda_since": cuda.get("A"),
            "cuda_deprecated": cuda.get("D"),
            "cuda_removed": cuda.get("R"),
            "hip_deprecated": hip.get("D"),
            "hip_removed": hip.get("R"),
            "hip_experimental": hip.get("E"),
            "unsupported_for_cuda": hip.get("U"),
        }.items()
        if value
    }
    row: list[Any] = [cells[twin], hip.get("A") or "", more]
    if not more:
        row.pop()
        while row and not row[-1]:
            row.pop()
    return row


def kind_of(name: str, section: str) -> str:
    """function, type or constant; the tables do not tell types from enumerators."""
    if "type" not in section.lower():
        return "function"
    if re.search(r"_(t|st|enum)(_v\d+)?$", name):
        return "type"
    return "constant" if name.isupper() else "type or constant"


def read_headers(text: str) -> dict[str, Any]:
    """The include files of ``CUDA_INCLUDE_MAP``."""
    body = text[text.index("CUDA_INCLUDE_MAP") :]
    body = body[: body.index("};")]
    names: dict[str, list[Any]] = {}
    for cuda, hip, roc, rest in re.findall(r'\{"([^"]+)",\s*\{"([^"]*)",\s*"([^"]*)",([^}]*)\}\}', body):
        if cuda.startswith("caffe2/"):
            continue
        # HIPIFY no longer converts to hipDNN: MIOpen is what exists.
        twin = (roc or hip) if "API_DNN" in rest else hip
        twin = MOVED_HEADERS.get(twin, twin)
        names[cuda] = [twin] if twin and "UNSUPPORTED" not in rest else []
    return {"cuda": "headers", "amd": "headers", "kind": "header", "names": names}


def read_rccl(folder: Path) -> tuple[dict[str, Any], str]:
    """The public functions of RCCL and its NCCL version."""
    header = next(f for f in (folder / "src" / "nccl.h.in", folder / "src" / "rccl.h.in") if f.is_file())
    names = sorted(set(re.findall(r"\b(nccl[A-Z]\w*)\s*\(", header.read_text("utf-8"))))
    version = dict(
        re.findall(
            r"NCCL_(MAJOR|MINOR|PATCH)\s*:?=\s*(\d+)",
            (folder / "makefiles" / "version.mk").read_text("utf-8"),
        )
    )
    rows: dict[str, list[Any]] = {n: [n] for n in names}
    return {"cuda": "NCCL", "amd": "RCCL", "kind": "function", "names": rows}, ".".join(
        version[k] for k in ("MAJOR", "MINOR", "PATCH")
    )


def render(meta: dict[str, Any], groups: list[dict[str, Any]]) -> str:
    """JSON with one name a line, so that a refresh shows as a readable diff."""

    def compact(value: Any) -> str:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    parts = []
    for g in sorted(groups, key=lambda g: (g["amd"], g["cuda"], g["kind"])):
        rows = ",\n".join(f"{compact(n)}:{compact(r)}" for n, r in sorted(g["names"].items()))
        parts.append(
            f'{{"cuda":{compact(g["cuda"])},"amd":{compact(g["amd"])},"kind":{compact(g["kind"])},"names":{{\n{rows}\n}}}}'
        )
    return (
        f'{{"meta":{json.dumps(meta, ensure_ascii=False, indent=1)},\n"groups":[\n'
        + ",\n".join(parts)
        + "\n]}\n"
    )


if __name__ == "__main__":
    sys.exit(main())
