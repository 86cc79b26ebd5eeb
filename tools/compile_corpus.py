#!/usr/bin/env python3
"""Which CUDA sources of a repository compile for an AMD GPU after ``amdlint --fix``? No GPU needed.

    python tools/compile_corpus.py CHECKOUT ROOT --include Common --out after.json

CHECKOUT is the untouched repository; it is copied to ``--work``, ``--cmd`` runs there (default:
``amdlint --fix --exit-zero {dir}``), then every .cu file is compiled with clang, device and host side.
ROOT is the folder that ``tools/rocm_headers.py`` makes. ``--nvcc`` instead says which of the untouched files
build for NVIDIA at all; ``--among FILE`` counts only those. Results are kept per file until a text that it
includes changes, so a second run costs what changed.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

# First line that fits names the cause of a failure.
CAUSES = (
    ("tensor cores (wmma, mma)", r"mma\.h|nvcuda|wmma|\bmma\b"),
    ("OpenGL, Vulkan, Direct3D", r"(?i)/gl|'gl|helper_gl|vulkan|d3d|egl|glut|graphics|GL\w*'"),
    ("NPP, nvJPEG, cuDLA, NvSci", r"(?i)npp|nvjpeg|cudla|nvsci|nvmedia"),
    ("cuDNN", r"(?i)cudnn"),
    ("libcu++, cuda::", r"cuda/(?:std|barrier|pipeline|atomic|\w+)'|namespace 'cuda'|'cuda::"),
    ("cooperative groups", r"cooperative_groups|'cg'|tiled_partition|thread_block_tile|this_grid|cg::|memcpy_async"),
    ("texture, surface", r"(?i)\btex[123]D|texture|surf[123]D|surface"),
    ("lane masks", r"mask must be|sizeof\(MaskT\)|__(?:shfl|ballot|any|all|activemask|match|reduce)\w*"),
    ("PTX", r"inline asm|asm constraint|output constraint|input constraint|invalid instruction|in asm"),
    ("missing header", r"file not found"),
    ("missing CUDA name", r"'?(?:cu[A-Z_]|cuda|CUDA|CU_|cublas|curand|cufft|cusparse|cusolver|nvtx|nvrtc|NVRTC|nccl|__nv)\w*'?"),
    ("missing intrinsic", r"'__\w+'"),
)  # fmt: skip


def cause(errors: str) -> tuple[str, str]:
    """(class, the first error line)."""
    found = re.search(r"^.*?(?:fatal )?error: .*$", errors, re.MULTILINE)
    line = found.group() if found else (errors.strip().splitlines() or ["?"])[-1]
    text = line.partition("error: ")[2] or line
    return next((name for name, pattern in CAUSES if re.search(pattern, text)), "other"), line


class Corpus:
    """One copy of a repository, and how its files are compiled."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.root: Path = args.work
        self.store: Path = args.cache or Path(f"{args.work}.cache.json")
        self.cache: dict[str, Any] = json.loads(self.store.read_text()) if self.store.exists() else {}
        self.digests: dict[str, str] = {}

    def digest(self, path: str) -> str:
        """A short digest of a file of the copy."""
        if path not in self.digests:
            file = self.root / path
            self.digests[path] = hashlib.sha1(file.read_bytes()).hexdigest()[:16] if file.is_file() else ""
        return self.digests[path]

    def compile(self, file: Path) -> dict[str, Any]:
        """Device side as an object, host side to the end of semantic analysis."""
        name = file.relative_to(self.root).as_posix()
        known = self.cache.get(name)
        if (
            known
            and known["flags"] == self.flags(file)
            and all(self.digest(d) == h for d, h in known["deps"].items())
        ):
            return known
        result: dict[str, Any] = {"ok": True, "flags": self.flags(file)}
        with tempfile.TemporaryDirectory() as folder:
            if self.args.nvcc:
                sides = [[self.args.nvcc, *self.flags(file), "-c", "-o", f"{folder}/x"]]
            else:
                base = [self.args.clang, *self.flags(file)]
                sides = (
                    [[*base, "--cuda-device-only", "-fsyntax-only"]]
                    if self.args.quick
                    else [
                        [
                            *base,
                            "--cuda-device-only",
                            "--no-gpu-bundle-output",
                            "-O1",
                            "-c",
                            "-o",
                            f"{folder}/x",
                        ],
                        [*base, "--cuda-host-only", "-fsyntax-only"],
                    ]
                )
            for side, command in zip(("device", "host"), sides, strict=False):
                try:
                    done = subprocess.run(
                        [*command, *self.precompiled(side, file), str(file)],
                        capture_output=True,
                        text=True,
                        errors="replace",
                        timeout=400,
                    )
                    code, text = done.returncode, done.stderr + done.stdout
                except subprocess.TimeoutExpired:
                    code, text = 1, "error: time is up"
                if code:
                    name_of_cause, line = cause(text)
                    result |= {
                        "ok": False,
                        "side": side,
                        "cause": name_of_cause,
                        "error": line.replace(str(self.root) + "/", ""),
                        "errors": [
                            e.replace(str(self.root) + "/", "")
                            for e in re.findall(r"^.*error: .*$", text, re.M)[:20]
                        ],
                    }
                    break
        result["deps"] = {d: self.digest(d) for d in self.dependencies(file)}
        self.cache[name] = result
        return result

    def precompiled(self, side: str, file: Path) -> list[str]:
        """HIP's headers, read once: for trying things out, since it hides a missing include of them."""
        if not self.args.pch:
            return []
        out = self.args.rocm / f"hip_runtime.{side}.pch"
        if not out.exists():
            text = out.with_suffix(".hip")
            text.write_text("#include <hip/hip_runtime.h>\n")
            flags = [f for f in self.flags(file) if not f.startswith("-I")]
            save = ["-Xclang", "-emit-pch", "-Xclang", "-o", "-Xclang", str(out)]
            command = [self.args.clang, *flags, f"--cuda-{side}-only", "-fsyntax-only", *save, str(text)]
            subprocess.run(command, check=True)
        return ["-include-pch", str(out)]

    def flags(self, file: Path) -> list[str]:
        """Everything but the file and the side."""
        near = [f / n for f in (file.parent, file.parent.parent) for n in ("inc", "include")]
        folders = [
            *(str(self.root / i) for i in self.args.include),
            str(file.parent),
            *(str(f) for f in near if f.is_dir()),
        ]
        where = [f"-I{f}" for f in folders]
        if self.args.nvcc:
            return [*self.args.nvcc_flags.split(), *where]
        root = self.args.rocm
        return [
            *(["-DQUICK"] if self.args.quick else []),
            *(["-DPCH"] if self.args.pch else []),
            *("-x", "hip", f"--offload-arch={self.args.target}", f"--rocm-path={root}", f"-isystem{root}/include"),
            *("-D__HIP_PLATFORM_AMD__=1", "-w", "-std=c++17", "-ferror-limit=30"),
            *self.args.flags.split(),
            *where,
        ]  # fmt: skip

    def dependencies(self, file: Path) -> list[str]:
        """The texts of the copy that the file includes, directly or not (by name, so a few too many)."""
        if not hasattr(self, "_headers"):
            self._headers: dict[str, list[Path]] = {}
            for path in self.root.rglob("*"):
                if path.suffix in (".h", ".cuh", ".hpp", ".inl", ".cu", ".inc", ".hxx"):
                    self._headers.setdefault(path.name, []).append(path)
        found, queue = [file], [file]
        while queue:
            text = queue.pop().read_text("latin-1")
            for m in re.finditer(r'^\s*#\s*include\s*["<]([^">\n]+)', text, re.MULTILINE):
                for path in self._headers.get(m[1].rsplit("/", 1)[-1], ()):
                    if path not in found and (
                        path.parent == file.parent
                        or any(i in path.as_posix() for i in self.args.include)
                        or file.parent in path.parents
                        or path.parent.parent == file.parent.parent
                    ):
                        found.append(path)
                        queue.append(path)
        return [f.relative_to(self.root).as_posix() for f in found]

    def save(self) -> None:
        self.store.write_text(json.dumps(self.cache))


def main() -> int:
    """Copy, fix, compile, count."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checkout", type=Path)
    parser.add_argument("rocm", type=Path, nargs="?")
    parser.add_argument("--cmd", default="amdlint --fix --exit-zero {dir}", help="'' for none")
    parser.add_argument("--include", action="append", default=[], help="folder of the checkout for -I")
    parser.add_argument("--files", default="**/*.cu")
    parser.add_argument("--only", default="", help="regular expression on the path")
    parser.add_argument("--among", type=Path, help="result of a --nvcc run: count only what builds there")
    parser.add_argument("--nvcc", help="this nvcc on the untouched files instead")
    parser.add_argument("--nvcc-flags", default="-arch=sm_80 -std=c++17 -rdc=true -w")
    parser.add_argument("--clang", default="clang++-22")
    parser.add_argument("--target", default="gfx90a")
    parser.add_argument("--flags", default="")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "compile_corpus")
    parser.add_argument("--cache", type=Path)
    parser.add_argument(
        "--quick", action="store_true", help="device side to the end of semantic analysis only"
    )
    parser.add_argument("--pch", action="store_true", help="HIP's runtime header precompiled")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--show", action="store_true", help="every failure with its first error")
    args = parser.parse_args()
    args.work = args.work.resolve()
    shutil.rmtree(args.work, ignore_errors=True)
    shutil.copytree(
        args.checkout, args.work, ignore=shutil.ignore_patterns(".git", "*.ppm", "*.bmp", "*.jpg")
    )
    if args.cmd and not args.nvcc:
        done = subprocess.run(
            args.cmd.replace("{dir}", str(args.work)), shell=True, capture_output=True, text=True
        )
        if done.returncode:
            print(f"the tool ended with {done.returncode}: {done.stderr[-600:]}", file=sys.stderr)
    corpus = Corpus(args)
    files = sorted(f for f in args.work.glob(args.files) if re.search(args.only, f.as_posix()))
    if args.among:
        good = {n for n, r in json.loads(args.among.read_text()).items() if r["ok"]}
        files = [f for f in files if f.relative_to(args.work).as_posix() in good]
    results: dict[str, Any] = {}
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for file, result in zip(files, pool.map(corpus.compile, files), strict=True):
            name = file.relative_to(args.work).as_posix()
            results[name] = {k: v for k, v in result.items() if k not in ("deps", "flags")}
            if args.show and not result["ok"]:
                print(f"{name} [{result['side']}] {result['error']}", flush=True)
    corpus.save()
    if args.out:
        args.out.write_text(json.dumps(results, indent=1) + "\n")
    failed = {n: r for n, r in results.items() if not r["ok"]}
    print(f"{len(files) - len(failed)} of {len(files)} compile")
    for name, count in collections.Counter(r["cause"] for r in failed.values()).most_common():
        print(f"  {count:4}  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
