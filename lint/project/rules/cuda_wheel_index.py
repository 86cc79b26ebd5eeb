"""AMD8100: a package index or link page that holds CUDA builds only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from ...finding import Edit, Finding, Fix
from ...rules import rule
from .. import packages
from ..file import ProjectFile
from ..spans import Spans
from ..toml_file import TomlString

CUDA_VERSIONS = (
    "92", "100", "101", "102", "110", "111", "113", "115", "116", "117", "118", "121", "122", "123", "124", "125",
    "126", "127", "128", "129", "130", "131", "132",
)  # fmt: skip
_URL = re.compile(r"https?://[^\s\"'<>),\]]*?[/_+-](cu\d{2,3})(?!\w|\.\d)[^\s\"'<>),\]]*")
_PYTORCH = re.compile(r"(https://download\.pytorch\.org/whl/(?:nightly/|test/)?)cu\d{2,3}(?=/|$)")
REASON = "NVIDIA machines that install from this file would then get the ROCm build"


@rule("AMD8100", triggers={f"cu{v}" for v in CUDA_VERSIONS})
def cuda_wheel_index(file: ProjectFile) -> Iterator[Finding]:
    """Report index URLs and the uv sources that point at them."""
    if file.for_both or file.kind in ("json", "cmake") or (file.kind == "yaml" and file.role not in ROLES):
        return
    for match in _URL.finditer(file.code):
        url = match[0].rstrip(";,")
        if (
            url.endswith(".whl")
            or ".whl#" in url
            or file.guarded(match.start())
            or _said(file, match.start())
        ):
            continue
        fix = None
        known = _PYTORCH.match(url)
        index = packages.rocm_index(file)
        if known and index and url[known.end() :] in ("", "/"):
            start = match.start() + known.end(1)
            edit = Edit(start, match.start() + known.end(), index)
            fix = Fix("unsafe", f"take the {index} wheels", (edit,), reason=REASON)
        yield Finding("AMD8100", match.start(), match.end(), detail=f"holds {match[1]} builds only", fix=fix)
    yield from _uv_sources(file)


_SAYS = re.compile(r"echo|printf|assert\w*|expect\w*|log\w*|warn\w*|info|note|say|die|fail\w*|error|usage")


def _said(file: ProjectFile, offset: int) -> bool:
    """Whether a script only prints the address, or compares it in a test."""
    return file.kind == "shell" and offset in _sayings(file)


@lru_cache(maxsize=4)
def _sayings(file: ProjectFile) -> Spans:
    return Spans((c.start, c.end) for c in file.commands if c.words and _SAYS.fullmatch(c.name))


ROLES = frozenset({"workflow", "ci", "sky", "compose", "conda", "kubernetes"})


def _uv_sources(file: ProjectFile) -> Iterator[Finding]:
    """Packages that ``[tool.uv.sources]`` takes from a CUDA index; the fix renames an index called after CUDA."""
    cuda: dict[str, TomlString] = {}
    label: TomlString | None = None
    for s in file.toml_strings:
        if s.table == "tool.uv.index" and s.key == "name":
            label = s
        elif s.table == "tool.uv.index" and s.key == "url" and label is not None and _PYTORCH.match(s.value):
            cuda[label.value] = label
    used = [
        s
        for s in file.toml_strings
        if s.table == "tool.uv.sources" and s.inner == "index" and s.value in cuda
    ]
    for s in used:
        fix = None
        name = re.sub(r"cu(?:da)?[\d.-]*\d", packages.rocm_index(file) or "", s.value)
        if packages.rocm_index(file) and name != s.value and name not in {x.value for x in file.toml_strings}:
            spans = [(x.start, x.end) for x in (cuda[s.value], *used) if x.value == s.value]
            edits = tuple(Edit(a, b, name) for a, b in spans)
            fix = Fix("unsafe", f"call the index {name}", edits, reason=REASON)
        yield Finding("AMD8100", s.start, s.end, detail=f"{s.key} comes from the CUDA index", fix=fix)
