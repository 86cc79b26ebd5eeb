#!/usr/bin/env python3
"""Complete the small ROCm root of ``tests/support/rocm.py`` with the headers of ROCm's libraries.

    python tests/support/rocm.py                         # clang, HIP core headers, device bitcode
    python tools/rocm_headers.py CHECKOUTS ROOT          # ROOT/include and friends, about 10 MB

CHECKOUTS holds git checkouts named like AMD's repositories (HIP, clr, rocPRIM, hipCUB, rocThrust, hipRAND,
rocRAND, hipFFT, hipBLAS, hipBLASLt, hipSPARSE, hipSOLVER, rccl). Headers that the core already has stay: only
what it lacks is added. Nothing of this is committed; ROOT is a scratch folder.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from support.rocm import toolchain

# checkout, folder inside it, folder below include/
PLACES = (
    ("HIP", "include", ""),
    ("clr", "hipamd/include", ""),
    ("rocPRIM", "rocprim/include", ""),
    ("hipCUB", "hipcub/include", ""),
    ("rocThrust", "thrust", "thrust"),
    ("hipRAND", "library/include", ""),
    ("rocRAND", "library/include", ""),
    ("hipFFT", "library/include", ""),
    ("hipBLAS", "library/include", "hipblas"),
    ("hipBLASLt", "library/include", "hipblaslt"),
    ("hipSPARSE", "library/include", "hipsparse"),
    ("hipSOLVER", "library/include", "hipsolver"),
    ("rccl", "src/nccl.h.in", "rccl/rccl.h"),
)
HEADERS = {".h", ".hpp", ".inl", ".cuh"}
# CMake writes these two macros for a shared library.
EXPORTS = {
    "hipfft/hipfft-export.h": "HIPFFT",
    "hipblas/hipblas-export.h": "HIPBLAS",
    "hipblaslt/hipblaslt-export.h": "HIPBLASLT",
    "hipsparse/hipsparse-export.h": "HIPSPARSE",
    "hipsolver/internal/hipsolver-export.h": "HIPSOLVER",
}


def version(checkout: Path) -> tuple[str, str, str]:
    """The version that the project's CMakeLists.txt states."""
    file = checkout / "CMakeLists.txt"
    text = file.read_text("utf-8", "replace") if file.is_file() else ""
    found = re.search(
        r"(?:VERSION_STRING|rocm_setup_version\s*\(\s*VERSION|\w+_VERSION)\s+\"?(\d+)\.(\d+)\.(\d+)", text
    )
    return (found[1], found[2], found[3]) if found else ("1", "0", "0")


def configured(text: str, numbers: tuple[str, str, str]) -> str:
    """A ``.h.in`` with its variables filled in."""
    major, minor, patch = numbers
    values = {"MAJOR": major, "MINOR": minor, "PATCH": patch, "TWEAK": "0"}
    number = f"{major}{int(minor):03d}{int(patch):02d}"

    def value(m: re.Match[str]) -> str:
        name = m[1] or m[2]
        return values.get(
            name.rsplit("_", 1)[-1], number if name.endswith(("NUMBER", "NCCL_VERSION")) else ""
        )

    text = re.sub(r"^#cmakedefine.*$", "", text, flags=re.MULTILINE)
    return re.sub(r"@(\w+)@|\$\{(\w+)\}", value, text)


def add(source: Path, target: Path, numbers: tuple[str, str, str]) -> int:
    """One header, unless the root has it already."""
    if source.suffix == ".in":
        target = target.with_suffix("") if target.suffix == ".in" else target
    elif source.suffix not in HEADERS:
        return 0
    if target.exists() or target.suffix not in HEADERS:
        return 0
    target.parent.mkdir(parents=True, exist_ok=True)
    text = source.read_text("utf-8", "replace")
    if "cooperative_groups" in target.name:  # a macro that clang 22 has no more
        text = f"#ifndef __AMDGCN_WAVEFRONT_SIZE\n#define __AMDGCN_WAVEFRONT_SIZE 64\n#endif\n{text}"
        # asked for in ROCm 6, there by default in ROCm 7
        text = text.replace("#ifdef HIP_ENABLE_WARP_SYNC_BUILTINS", "#ifndef HIP_DISABLE_WARP_SYNC_BUILTINS")
    if target.name == "device_transform.hpp":
        text = f"#include <chrono>\n{text}"
    if target.name == "rocrand_mtgp32.h":
        text = f"#include <string.h>\n{text}"
    if "rocrand" in target.parts:
        # HIP 7.1's vector types are no arrays inside any more
        text = re.sub(r"result\.data\[([\w.]+)\]", r"(&m_state.result.x)[\1]", text).replace(
            "m_state.(&m_state", "(&m_state"
        )
    target.write_text(configured(text, numbers) if source.suffix == ".in" else text)
    return 1


def main() -> int:
    """Copy the base root, then add what each checkout has."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("root", type=Path)
    args = parser.parse_args()
    base = toolchain()
    if isinstance(base, str):
        print(base, file=sys.stderr)
        return 1
    shutil.rmtree(args.root, ignore_errors=True)
    shutil.copytree(base.root, args.root, ignore=shutil.ignore_patterns("*.pch*", "*.[0-9]*"))
    for name, inside, where in PLACES:
        checkout = args.checkouts / name
        source, count = checkout / inside, 0
        if source.is_file():
            count = add(source, args.root / "include" / where, version(checkout))
        else:
            for file in sorted(source.rglob("*")):
                target = args.root / "include" / where / file.relative_to(source)
                count += add(file, target, version(checkout)) if file.is_file() else 0
        print(
            f"{name:10} {'.'.join(version(checkout)):8} {count:4} headers" + ("" if count else "  (missing)")
        )
    # ROCm's clang has an omp.h, Debian's does not; gcc's declares the same functions
    for omp in sorted(Path("/usr/lib/gcc").glob("*/*/include/omp.h"))[-1:]:
        shutil.copy(omp, args.root / "include" / "omp.h")
    for export, prefix in EXPORTS.items():
        file = args.root / "include" / export
        if file.parent.is_dir():
            file.write_text(
                f"#define {prefix}_EXPORT\n#define {prefix}_NO_EXPORT\n#define {prefix}_DEPRECATED\n"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
