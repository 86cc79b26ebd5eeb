"""A HIP compiler without a GPU: Debian's clang and the HIP headers that the ``triton`` wheel carries.

``python tests/support/rocm.py`` sets the toolchain up in a cache folder (apt and pip); tests that need it skip
with a reason while it is not there. Headers: HIP 7.1 core from the wheel, fp16 and cooperative groups from
Debian's libamdhip64-dev (HIP 5.2.3), one shim between the two.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

TARGETS = ("gfx90a", "gfx942", "gfx1100", "gfx1201")
CACHE = Path(os.environ.get("AMDLINT_ROCM_CACHE") or Path.home() / ".cache" / "amdlint-rocm")
SHIM = Path(__file__).with_name("hip_shim.h")
TRITON = "triton==3.9.0"
CLANGS = ("clang++-22", "clang++-21", "clang++-20")
ISA_VERSIONS = {
    "908": 9008,
    "90a": 9010,
    "942": 9402,
    "950": 9500,
    "1030": 10300,
    "1100": 11000,
    "1101": 11001,
    "1200": 12000,
    "1201": 12001,
}


@dataclass(frozen=True)
class Toolchain:
    """A clang++ that compiles HIP, and the folders it needs."""

    clang: str
    root: Path
    headers: Path

    def compile(self, source: Path, target: str, *flags: str, object_code: bool = True) -> str:
        """Compile the device side of a source for one gfx target; returns the errors, empty when there are none."""
        with tempfile.TemporaryDirectory() as folder:
            out = ["-c", "-o", str(Path(folder) / "kernel.co")] if object_code else ["-fsyntax-only"]
            command = [
                *self._command(target),
                "-include-pch",
                str(self._precompiled(target)),
                *flags,
                *out,
                str(source),
            ]
            done = subprocess.run(
                command, capture_output=True, text=True, errors="replace", timeout=300, check=False
            )
        return "" if done.returncode == 0 else done.stderr

    def _command(self, target: str) -> list[str]:
        return [
            *(self.clang, "-x", "hip", f"--offload-arch={target}", "--cuda-device-only"),
            *("--no-gpu-bundle-output", "-w", "-O1", f"--rocm-path={self.root}", "-D__HIP_PLATFORM_AMD__=1"),
            # named here as well: clang puts the headers of --rocm-path behind /usr/include
            *("-isystem", str(self.root / "include"), "-isystem", str(self.headers)),
        ]

    def _precompiled(self, target: str) -> Path:
        """HIP's headers, read once for each target."""
        out = self.root / f"hip-{target}.pch"
        if not out.exists():
            part = out.with_suffix(f".{os.getpid()}")
            output = ["-Xclang", "-emit-pch", "-Xclang", "-o", "-Xclang", str(part)]
            run(*self._command(target), "-fsyntax-only", *output, str(SHIM))
            os.replace(part, out)
        return out


@lru_cache(maxsize=1)
def toolchain() -> Toolchain | str:
    """The toolchain, or why there is none."""
    clang = next((c for c in CLANGS if shutil.which(c)), None)
    if clang is None:
        return f"none of {', '.join(CLANGS)} is installed (python tests/support/rocm.py installs clang)"
    root, headers = CACHE / "rocm", CACHE / "debian" / "usr" / "include"
    if not (root / "share/hip/version").exists() or not headers.exists():
        return f"no HIP headers in {CACHE} (python tests/support/rocm.py fetches them)"
    return Toolchain(clang, root, headers)


def main() -> int:
    """Install clang when it is missing and assemble the headers."""
    CACHE.mkdir(parents=True, exist_ok=True)
    if not any(shutil.which(c) for c in CLANGS):
        run("apt-get", "update", "-q")
        run("apt-get", "install", "-y", "-q", "--no-install-recommends", "clang-22", "lld-22")
    if not (CACHE / "debian").exists():
        with tempfile.TemporaryDirectory() as folder:
            run("apt-get", "download", "libamdhip64-dev", cwd=folder)
            run("dpkg", "-x", str(next(Path(folder).glob("*.deb"))), str(CACHE / "debian"))
    if not (CACHE / "rocm/share/hip/version").exists():
        with tempfile.TemporaryDirectory() as folder:
            run(
                sys.executable,
                "-m",
                "pip",
                "download",
                "-q",
                "--no-deps",
                "--only-binary",
                ":all:",
                "-d",
                folder,
                TRITON,
            )
            assemble(next(Path(folder).glob("triton-*.whl")), CACHE / "rocm")
    found = toolchain()
    print(found if isinstance(found, str) else f"{found.clang} with {found.root}")
    return isinstance(found, str)


def run(*command: str, cwd: str | None = None) -> None:
    subprocess.run(command, check=True, cwd=cwd)


def assemble(wheel: Path, out: Path) -> None:
    """A ROCm root from the headers and the device bitcode of a triton wheel.

    The control constants (oclc_*.bc) that the wheel lacks are one global each, written as LLVM IR.
    """
    include, bitcode = out / "include", out / "amdgcn" / "bitcode"
    bitcode.mkdir(parents=True, exist_ok=True)
    prefix = "triton/backends/amd/"
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.startswith(f"{prefix}include/") and not name.endswith("/"):
                target = include / name.removeprefix(f"{prefix}include/")
            elif name in (f"{prefix}lib/ocml.bc", f"{prefix}lib/ockl.bc"):
                target = bitcode / Path(name).name
            else:
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(archive.read(name))
    constants: dict[str, tuple[str, str, int]] = {}
    for file, symbol in (
        ("daz_opt", "daz_opt"),
        ("finite_only", "finite_only_opt"),
        ("unsafe_math", "unsafe_math_opt"),
        ("correctly_rounded_sqrt", "correctly_rounded_sqrt32"),
        ("wavefrontsize64", "wavefrontsize64"),
    ):
        constants[f"oclc_{file}_off"] = (f"__oclc_{symbol}", "i8", 0)
        constants[f"oclc_{file}_on"] = (f"__oclc_{symbol}", "i8", 1)
    for name, number in ISA_VERSIONS.items():
        constants[f"oclc_isa_version_{name}"] = ("__oclc_ISA_version", "i32", number)
    for version in (400, 500, 600):
        constants[f"oclc_abi_version_{version}"] = ("__oclc_ABI_version", "i32", version)
    triple = 'target triple = "amdgcn-amd-amdhsa"\n'
    for name, (symbol, kind, value) in constants.items():
        _assemble_ir(
            bitcode / f"{name}.bc",
            f"{triple}@{symbol} = linkonce_odr hidden local_unnamed_addr addrspace(4) constant {kind} {value}\n",
        )
    _assemble_ir(bitcode / "opencl.bc", triple)  # clang wants one beside ocml.bc; HIP never links it
    numbers = {}
    for line in (include / "hip/hip_version.h").read_text().splitlines():
        words = line.split()
        if len(words) == 3 and words[1] in ("HIP_VERSION_MAJOR", "HIP_VERSION_MINOR", "HIP_VERSION_PATCH"):
            numbers[words[1]] = words[2]
    version_file = out / "share/hip/version"
    version_file.parent.mkdir(parents=True, exist_ok=True)
    version_file.write_text("".join(f"{k}={v}\n" for k, v in numbers.items()))


def _assemble_ir(out: Path, text: str) -> None:
    clang = next(c for c in CLANGS if shutil.which(c)).replace("++", "")
    with tempfile.NamedTemporaryFile("w", suffix=".ll") as f:
        f.write(text)
        f.flush()
        run(
            clang,
            "-Wno-override-module",
            "-x",
            "ir",
            "--target=amdgcn-amd-amdhsa",
            "-nogpulib",
            "-c",
            "-emit-llvm",
            f.name,
            "-o",
            str(out),
        )


if __name__ == "__main__":
    sys.exit(main())
