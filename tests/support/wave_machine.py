"""Run CUDA sources on the CPU: as an NVIDIA GPU with warps of 32 lanes, as an AMD GPU with waves of 32 or of 64.

A host compiler builds the source against ``wave_machine/``: headers that stand in for those of CUDA and of HIP, and a
scheduler of lanes. The source is a whole program whose ``main`` checks its own numbers and returns 0 or 1.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from support.hipify import hipified

FOLDER = Path(__file__).with_name("wave_machine")
COMPILERS = ("clang++-22", "clang++-21", "clang++-20", "clang++", "g++")
_LAUNCH = re.compile(r"(?P<kernel>\w+(?:<[^<>;()]*>)?)\s*<<<(?P<shape>.*?)>>>\s*\(", re.DOTALL)
_DYNAMIC = re.compile(r"extern\s+__shared__\s+(?P<type>[\w ]+?)\s*(?P<name>\w+)\s*\[\s*\]\s*;")
_REGISTER = re.compile(r'asm volatile\("mov\.u32 %0, %%(\w+);" : "=r"\((\w+)\)\);')


@dataclass(frozen=True)
class Gpu:
    """A GPU to stand in for."""

    name: str
    flags: tuple[str, ...]

    @property
    def amd(self) -> bool:
        return self.name != "nvidia"


_AMD = (
    "-D__HIP__=1",
    "-D__HIPCC__=1",
    "-D__HIP_PLATFORM_AMD__=1",
    "-DUSE_ROCM=1",
    "-D__HIP_DEVICE_COMPILE__=1",
)
NVIDIA = Gpu("nvidia", ("-DWAVES_NVIDIA=1", "-D__CUDACC__=1", "-D__CUDA_ARCH__=900"))
RDNA = Gpu("gfx1100", (*_AMD, "-DWAVES_LANES=32", "-D__gfx1100__=1", "-D__GFX11__=1"))
CDNA = Gpu("gfx942", (*_AMD, "-DWAVES_LANES=64", "-D__gfx942__=1", "-D__GFX9__=1"))


@dataclass(frozen=True)
class Outcome:
    """How a program ended, in a word.

    ``right``; ``idle``: right, with half of all lanes or more switched off from the start; ``wrong``; ``stopped``: a
    trap; ``hangs``; ``does not compile``.
    """

    word: str
    text: str = ""


class Machine:
    """A compiler and a folder for what it builds."""

    def __init__(self, compiler: str, folder: Path) -> None:
        self.compiler = compiler
        self.folder = folder

    def run(self, source: str, gpu: Gpu, *includes: Path, headers: str = "host.h") -> Outcome:
        """Build a program for a GPU and run it. ``headers`` is what is read ahead of it, of the emulator's own."""
        text = translated(hipified(source) if gpu.amd else _REGISTER.sub(r"\2 = ptx::\1();", source))
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            program = Path(folder, "program")
            file = program.with_suffix(".cpp")
            file.write_text(text)
            flags = [*self._flags(gpu), *(f"-I{i}" for i in (FOLDER, *includes))]
            parts = [*self._read_ahead(gpu, headers, flags), str(file), str(self._scheduler(gpu))]
            built = self._call(*flags, *self._linker(), *parts, "-o", str(program), program=self.compiler)
            if built.returncode:
                return Outcome("does not compile", built.stderr)
            done = self._call(program=str(program))
        lanes = re.search(r"^lanes: (\d+) of (\d+)$", done.stdout, re.MULTILINE)
        if done.returncode == 0 and lanes and 2 * int(lanes[1]) <= int(lanes[2]):
            return Outcome("idle", done.stdout)
        words = {0: "right", 1: "wrong", 3: "stopped", 4: "hangs"}
        return Outcome(words.get(done.returncode, f"exit {done.returncode}"), done.stdout + done.stderr)

    def _linker(self) -> list[str]:
        """lld where there is one: it takes half the time."""
        suffix = self.compiler.removeprefix("clang++")
        return ["-fuse-ld=lld"] if self.compiler != "g++" and shutil.which(f"ld.lld{suffix}") else []

    def _flags(self, gpu: Gpu) -> list[str]:
        """Every basic block calls the scheduler; without optimisation blocks stay in the order of the source."""
        if self.compiler == "g++":
            steps = ["-fsanitize-coverage=trace-pc"]
        else:
            steps = ["-fsanitize-coverage=bb,no-prune,trace-pc", "-fno-sanitize-link-runtime"]
            steps.append(f"-fsanitize-coverage-ignorelist={FOLDER / 'own_functions.txt'}")
        return ["-std=c++17", "-O0", "-w", "-fno-omit-frame-pointer", *steps, *gpu.flags]

    def _scheduler(self, gpu: Gpu) -> Path:
        """machine.cpp for this GPU, compiled once."""
        flags = [f for f in self._flags(gpu) if "sanitize" not in f]
        return self._once(f"machine-{gpu.name}.o", *flags, "-O1", "-c", str(FOLDER / "machine.cpp"))

    def _read_ahead(self, gpu: Gpu, headers: str, flags: list[str]) -> list[str]:
        """Headers that are compiled once for this GPU."""
        if self.compiler == "g++":
            return []
        out = self._once(f"{headers}-{gpu.name}.pch", *flags, "-x", "c++-header", str(FOLDER / headers))
        return ["-include-pch", str(out)]

    def _once(self, name: str, *command: str) -> Path:
        """A file that all programs for a GPU share."""
        out = self.folder / name
        if not out.exists():
            part = out.with_suffix(f".{os.getpid()}{out.suffix}")
            self._call(*command, "-o", str(part), program=self.compiler).check_returncode()
            os.replace(part, out)
        return out

    def _call(self, *arguments: str, program: str = "") -> subprocess.CompletedProcess[str]:
        command = [program, *arguments] if program else list(arguments)
        return subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=120, check=False
        )


def translated(source: str) -> str:
    """The two pieces of CUDA that no header can turn into C++: launches and arrays of dynamic shared memory."""
    source = _DYNAMIC.sub(
        r"\g<type>* \g<name> = reinterpret_cast<\g<type>*>(waves::dynamic_shared());", source
    )
    out, at = [], 0
    for m in _LAUNCH.finditer(source):
        if m.start() < at:
            continue
        close, level = m.end(), 1
        while level:
            level += {"(": 1, ")": -1}.get(source[close], 0)
            close += 1
        call = f"{m['kernel']}({source[m.end() : close]}"
        out += [source[at : m.start()], f"waves::launch([&] {{ {call}; }}, {m['shape']})"]
        at = close
    return "".join([*out, source[at:]])


@lru_cache(maxsize=1)
def compiler() -> str | None:
    """The first C++ compiler found."""
    return next((c for c in COMPILERS if shutil.which(c)), None)
