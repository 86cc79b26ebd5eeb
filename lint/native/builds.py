"""How the native sources of a repository are compiled, and which headers of its own they include.

It decides what is worth reporting: torch's extension build hipifies names by itself, nvcc behind CMake or
a Makefile does not, and a text compiled at run time is never seen by any translator.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from ..source import Source

if TYPE_CHECKING:
    from ..repo import Repo
    from .preprocess import Preprocessed, World
    from .unit import Unit

Build: TypeAlias = Literal["torch", "nvcc", "hip", "runtime", "unknown"]

NATIVE = frozenset(
    {".cu", ".cuh", ".h", ".hpp", ".hh", ".hxx", ".cpp", ".cc", ".cxx", ".c", ".inl", ".inc", ".hip"}
)
_TORCH = re.compile(
    rb"\b(?:CUDAExtension|CppExtension|load_inline|cpp_extension\.load|torch_python_library)\b|\bload\([^)]{0,200}sources"
)
_NVCC_IN_MAKE = re.compile(rb"\bnvcc\b|\$[({]NVCC")
_CUDA_IN_CMAKE = re.compile(
    rb"(?i)\b(?:enable_language\s*\(\s*CUDA|project\s*\([^)]*\bCUDA\b|find_package\s*\(\s*CUDA|cuda_add_(?:library|executable)|LANGUAGE\s+CUDA)"
)
_HIPIFY = re.compile(rb"(?i)hipify|hip_add_library|hip_add_executable")
_SOURCES = re.compile(rb"[\w./*-]+\.(?:cu|cuh|cpp|cc|cxx|c)\b")
_HEADERS = frozenset({".cuh", ".h", ".hpp", ".hh", ".inl", ".inc"})
_MAX_HEADERS = 40
_MAX_OFFERED = 4_000_000
"""How many bytes of headers are kept parsed before anybody has included them."""
_QUOTED_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', re.MULTILINE)
_CMAKE_LINE = re.compile(r"^\s*(if|elseif|else|endif)\s*\((.*)$", re.IGNORECASE)


def cmake_sides(text: str) -> dict[str, set[str]]:
    """On which sides of the CUDA and HIP conditions a CMake file names each source: ``cuda``, ``hip``, ``both``."""
    stack: list[tuple[str, set[str]]] = []  # (side of the open branch, sides of the earlier branches)
    found: dict[str, set[str]] = {}
    for line in text.splitlines():
        line = line.split("#", 1)[0]
        m = _CMAKE_LINE.match(line)
        if m:
            word, condition = m.group(1).lower(), m.group(2).upper()
            asks_hip = bool(re.search(r"HIP|ROCM|AMDGPU", condition))
            asks_cuda = "CUDA" in condition and not asks_hip
            negated = bool(re.search(r"\bNOT\b", condition))
            side = "both"
            if asks_hip or asks_cuda:
                side = "hip" if asks_hip != negated else "cuda"
            if word == "if":
                stack.append((side, {side}))
            elif word == "elseif" and stack:
                stack[-1] = (side, stack[-1][1] | {side})
            elif word == "else" and stack:
                earlier = stack[-1][1]
                stack[-1] = ("hip" if "cuda" in earlier else "cuda" if "hip" in earlier else "both", earlier)
            elif word == "endif" and stack:
                stack.pop()
        sides = {s for s, _ in stack} - {"both"}
        for m2 in _SOURCES.finditer(line.encode("latin-1", "replace")):
            name = m2.group().decode("latin-1").rsplit("/", 1)[-1]
            found.setdefault(name, set()).add(next(iter(sides)) if len(sides) == 1 else "both")
    return found


def knowledge(repo: Repo) -> Knowledge:
    """What is known about the builds of a repository; computed once."""
    if repo.native is None:
        rewritten: list[Path] = []
        at = repo
        while at.before is not None and at.native is None:
            rewritten.append(at.before[1])
            at = at.before[0]
        found = at.native if isinstance(at.native, Knowledge) else None
        if found is None:
            found, rewritten = Knowledge(repo), []
        for path in rewritten:
            found = found.after(path)
        repo.native, repo.before = found, None
    assert isinstance(repo.native, Knowledge)
    return repo.native


class Knowledge:
    """Build files by folder, and parsed headers."""

    def __init__(self, repo: Repo) -> None:
        self._files = frozenset(repo.files)
        self._builders: dict[Path, list[Path]] = {}
        self._by_name: dict[str, list[Path]] = {}
        self._cmake = [f for f in repo.files if f.name == "CMakeLists.txt"]
        self._cuda_side: frozenset[Path] | None = None
        self._included: dict[str, set[Path]] | None = None
        self._by_stem: dict[str, list[Path]] = {}
        self._answers: dict[Path, Build] = {}
        self._verdicts: dict[Path, tuple[Build, frozenset[str], bool]] = {}
        self._units: dict[Path, Unit | None] = {}
        self._building: set[Path] = set()
        self._offered: dict[Path, Unit] = {}
        self._offered_bytes = 0
        self._resolved: dict[tuple[Path, str], Path | None] = {}
        for file in repo.files:
            name = file.name
            if (
                name
                in (
                    "setup.py",
                    "CMakeLists.txt",
                    "Makefile",
                    "makefile",
                    "GNUmakefile",
                    "meson.build",
                )
                or file.suffix in (".mk", ".sh", ".cmake")
                or (
                    file.suffix == ".py"
                    and re.search(r"build|ext|compile|jit|load|__init__|kernel|ops?\b", file.stem)
                )
            ):
                self._builders.setdefault(file.parent, []).append(file)
            if file.suffix in NATIVE:
                self._by_stem.setdefault(file.stem, []).append(file)
                self._by_name.setdefault(name, []).append(file)

    def after(self, path: Path) -> Knowledge:
        """What is known after a fix has rewritten one file: how the sources are built stays, parsed headers do not."""
        changed = copy(self)
        native = path.suffix in NATIVE
        changed._units = {} if native else dict(self._units)
        changed._building = set()
        if not native:
            changed._answers, changed._verdicts = {}, {k: v for k, v in self._verdicts.items() if k != path}
            changed._cuda_side = None
        return changed

    def build(self, repo: Repo, path: Path) -> Build:
        """How this source is compiled: the nearest build file above it that names it decides."""
        if path not in self._answers:
            self._answers[path] = self._build(repo, path)
        return self._answers[path]

    def _build(self, repo: Repo, path: Path) -> Build:
        if path.suffix == ".hip" or self._hip_twin(path):
            return "hip"
        header = path.suffix in _HEADERS
        loose: Build = "unknown"
        beside = False
        for folder in path.parents:
            found: set[Build] = set()
            for file in self._builders.get(folder, ()):
                verdict, names, all_sources = self._verdict(repo, file)
                if verdict == "unknown":
                    continue
                if path.name in names or all_sources or (header and names) or file.name == "setup.py":
                    found.add(verdict)
                elif loose == "unknown":
                    # no other build reaches a source that lies beside nvcc's build file
                    beside = folder == path.parent and path.suffix == ".cu" and verdict == "nvcc"
                    loose = verdict
            for best in ("torch", "hip", "nvcc"):
                if best in found:
                    return best
        if header and loose not in ("torch", "hip"):
            # a header goes where the sources that include it go
            users = {
                self.build(repo, p)
                for p in self._includers(repo).get(path.name, ())
                if p.suffix not in _HEADERS
            }
            return next((b for b in ("torch", "hip", "nvcc") if b in users), "unknown")
        return loose if loose in ("torch", "hip") or beside else "unknown"

    def _includers(self, repo: Repo) -> dict[str, set[Path]]:
        """Which sources name which headers in their includes."""
        if self._included is None:
            self._included = {}
            for paths in self._by_name.values():
                for path in paths:
                    for m in _QUOTED_INCLUDE.finditer(repo.read(path)):
                        name = m.group(1).decode("latin-1").rsplit("/", 1)[-1]
                        self._included.setdefault(name, set()).add(path)
        return self._included

    def nvidia_only(self, repo: Repo, path: Path) -> bool:
        """Whether a CMake project that also builds for HIP names this source on its CUDA side only.

        A header is NVIDIA's when all sources that include it are.
        """
        if not self._cmake:
            return False
        if self._cuda_side is None:
            self._cuda_side = self._find_cuda_side(repo)
        return path in self._cuda_side

    def _find_cuda_side(self, repo: Repo) -> frozenset[Path]:
        found: set[Path] = set()
        for file in self._cmake:
            text = repo.read(file).decode("latin-1")
            if not re.search(
                r"(?i)\b(?:enable_language\s*\(\s*HIP|LANGUAGE\s+HIP|BUILD_HIP|find_package\s*\(\s*hip\b|hipcc)",
                text,
            ):
                continue
            sides = cmake_sides(text)
            for name, where in sides.items():
                if where == {"cuda"}:
                    found |= {p for p in self._by_name.get(name, ()) if file.parent in p.parents}
        if found:
            included = self._includers(repo)
            for _ in range(4):
                for name, users in included.items():
                    if users <= found:
                        found |= {
                            p
                            for p in self._by_name.get(name, ())
                            if p.suffix in (".cuh", ".h", ".hpp", ".inl")
                        }
        return frozenset(found)

    def _hip_twin(self, path: Path) -> bool:
        """Whether the repository keeps another version of this source for AMD (x.hip, hip/x.cu, rocm/x.cu)."""
        for other in self._by_stem.get(path.stem, ()):
            if other != path and (
                other.suffix == ".hip" or {"hip", "rocm", "amd"} & {p.lower() for p in other.parts[:-1]}
            ):
                return True
        return False

    def _verdict(self, repo: Repo, file: Path) -> tuple[Build, frozenset[str], bool]:
        if file not in self._verdicts:
            data = repo.read(file)
            names = frozenset(m.group().decode("latin-1").rsplit("/", 1)[-1] for m in _SOURCES.finditer(data))
            every = any("*" in n for n in names) or b"%.cu" in data
            verdict: Build = "unknown"
            if file.suffix == ".py":
                if _TORCH.search(data):
                    verdict = "torch"
                elif _NVCC_IN_MAKE.search(data) and file.name == "setup.py":
                    verdict = "nvcc"
            elif _HIPIFY.search(data):
                verdict = "hip"
            elif file.name == "CMakeLists.txt" or file.suffix == ".cmake":
                if _CUDA_IN_CMAKE.search(data):
                    verdict = "nvcc"
            elif _NVCC_IN_MAKE.search(data):
                verdict = "nvcc"
            self._verdicts[file] = (verdict, names, every)
        return self._verdicts[file]

    def macro(self, unit: Unit, pre: Preprocessed, name: str, world: World) -> int | None:
        """What the headers included so far make of a macro: its value, 0 where they leave it undefined, None if unknown."""
        for header in self._closure(unit, pre):
            macros = header.pre.macros.get(name)
            if not macros:
                continue
            value = header.pre.known(name, world, len(header.tokens.text) + 1)
            states = [m.amd if world == "amd" else m.nvidia for m in macros]
            if all(s is False for s in states):
                return 0  # defined for the other vendor only
            return value
        return None

    def headers(self, unit: Unit) -> Iterable[Unit]:
        """The repository's own headers that a unit includes, directly or through others."""
        return self._closure(unit, unit.pre)

    def _closure(self, unit: Unit, pre: Preprocessed) -> Iterator[Unit]:
        """The headers behind the includes read so far; parsed as far as somebody asks, and found once."""
        walk = pre.walk
        if walk is None or walk.owner is not self or walk.revision != pre.revision:
            walk = pre.walk = Walk(self, pre.revision, self._included_by(unit, pre))
        n = 0
        while n < len(walk.found) or walk.more():
            yield walk.found[n]
            n += 1

    def _included_by(self, unit: Unit, pre: Preprocessed) -> Iterator[Unit]:
        seen: set[Path] = {unit.source.path}
        queue = [(unit.source.path, pre)]
        while queue and len(seen) < _MAX_HEADERS:
            includer, current = queue.pop(0)
            for name, _, directive in current.includes:
                if current.live(directive.start) is False:
                    continue
                path = self._resolve(includer, name)
                if path is None or path in seen:
                    continue
                seen.add(path)
                header = self._unit(unit, path)
                if header is not None:
                    queue.append((path, header.pre))
                    yield header
                elif path in self._building:
                    pre.walk = None  # a circle of includes: ask again when that header is complete

    def resolves(self, includer: Path, name: str) -> bool:
        """Whether an include names a file of the repository."""
        return self._resolve(includer, name) is not None

    def _resolve(self, includer: Path, name: str) -> Path | None:
        key = (includer, name)
        if key not in self._resolved:
            self._resolved[key] = self._search(includer, name)
        return self._resolved[key]

    def _search(self, includer: Path, name: str) -> Path | None:
        tail = name.rsplit("/", 1)[-1]
        candidates = self._by_name.get(tail)
        if not candidates:
            return None
        direct = _normal(includer.parent / name)
        best, depth = None, -1
        for candidate in candidates:
            if candidate == direct:
                return candidate
            if f"/{candidate.as_posix()}".endswith("/" + name.lstrip("./")):
                shared = _shared(candidate, includer)
                if shared > depth:
                    best, depth = candidate, shared
        return best

    def parsed(self, source: Source) -> Unit | None:
        """The unit of a header that another file has included already, if its text is the same."""
        unit = self._units.get(source.path)
        return unit if unit is not None and unit.source.data == source.data else None

    def offer(self, unit: Unit) -> None:
        """Keep the unit of a header for the sources that will include it."""
        path = unit.source.path
        if path.suffix in _HEADERS and path not in self._offered:
            self._offered_bytes += len(unit.source.data)
            if self._offered_bytes <= _MAX_OFFERED:
                self._offered[path] = unit

    def _unit(self, asker: Unit, path: Path) -> Unit | None:
        if path not in self._units:
            from .unit import Unit

            data = asker.repo.read(path)
            self._units[path] = None
            if 0 < len(data) < 1_000_000:
                self._building.add(path)
                source = Source(path, data)
                known = self._offered.get(path)
                if known is None or known.source.data != source.data:
                    known = Unit(source, asker.repo, asker.settings)
                known.pre  # noqa: B018  (read while it is marked: it may include itself)
                self._units[path] = known
                self._building.discard(path)
        return self._units[path]


class Walk:
    """The headers of one text, found one after the other, for the includes that were read at ``revision``."""

    __slots__ = ("_rest", "found", "owner", "revision")

    def __init__(self, owner: Knowledge, revision: int, rest: Iterator[Unit]) -> None:
        self.owner, self.revision, self._rest = owner, revision, rest
        self.found: list[Unit] = []

    def more(self) -> bool:
        """Find one more header, if there is one."""
        header = next(self._rest, None)
        if header is not None:
            self.found.append(header)
        return header is not None


def _normal(path: Path) -> Path:
    parts: list[str] = []
    for part in path.parts:
        if part == ".." and parts and parts[-1] not in ("..", "/"):
            parts.pop()
        elif part != ".":
            parts.append(part)
    return Path(*parts) if parts else Path()


def _shared(a: Path, b: Path) -> int:
    count = 0
    for x, y in zip(a.parts, b.parts, strict=False):
        if x != y:
            break
        count += 1
    return count
