"""``--native-style hip``: CUDA's names and headers are replaced where they stand, as hipify does.

Only tokens of the code change, so comments, strings and bytes in any encoding stay what they were. Names
without a HIP counterpart stay and are reported; kernel launches stay ``<<<>>>``, which hipcc compiles.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ..finding import Edit, Finding, Fix
from .lexer import WORD
from .names import _behind_version
from .rewrite import insertion_point
from .unit import Unit

RUNTIME = "hip/hip_runtime.h"
# Pieces of the compatibility text, and the header that does their work in HIP code.
_IN_PLACE = {"hip_fp16": "hip/hip_fp16.h", "hip_bf16": "hip/hip_bf16.h", "runtime": RUNTIME}
HIPBLAS_V2 = "#define HIPBLAS_V2  // the types of ROCm 7 in ROCm 6 as well"
_ROCTX = {
    "nvtxRangePush": "roctxRangePush",
    "nvtxRangePushA": "roctxRangePushA",
    "nvtxRangePop": "roctxRangePop",
    "nvtxMark": "roctxMark",
    "nvtxMarkA": "roctxMarkA",
}


def wanted(unit: Unit) -> bool:
    """Whether this file is to become HIP code: the user asks for it, and no build translates it by itself."""
    if unit.settings.native_style != "hip" or unit.runtime or unit.build not in ("nvcc", "unknown"):
        return False
    return not any(n.startswith(("torch/", "ATen/", "c10/")) for n, _, _ in unit.pre.includes)


def findings(
    unit: Unit,
    code: str,
    helpers: Iterable[str],
    unknown: tuple[str, ...],
    headers: Mapping[int, str],
) -> Iterator[Finding]:
    """One finding for all that can be renamed, and one for the names that cannot.

    ``helpers`` are the pieces that the portable style would insert (``old=new`` for a name), ``headers`` the
    HIP header for each include, by the token of its directive.
    """
    names = dict(h.split("=") for h in helpers if "=" in h and "+" not in h)
    missing = [_IN_PLACE.get(h, h) for h in helpers if h in _IN_PLACE or h.endswith(".h")]
    if RUNTIME in missing and not _lacks_runtime(unit, headers):
        missing.remove(RUNTIME)
    others = [h for h in helpers if h.split("=")[0] not in names and not (h in _IN_PLACE or h.endswith(".h"))]
    if "cudaEventCreate+overload" in others:
        others.remove("cudaEventCreate+overload")
        names["cudaEventCreate"] = "hipEventCreate"
    if "roctracer/roctx.h" in headers.values():
        names |= _ROCTX
    edits = [*_renames(unit, names)]
    if "hipcub/hipcub.hpp" in headers.values():
        edits += _namespaces(unit)
    edits += _includes(unit, headers)
    if edits or others or missing:
        old = [unit.source.text(e.start, e.end).strip() for e in sorted(edits)]
        shown = ", ".join(list(dict.fromkeys(old))[:3]) + (" ..." if len(set(old)) > 3 else "")
        detail = f"HIP has its own names for {shown}"
        if not old:
            detail = "CUDA's compiler brings along what HIP's does not"
        start, end = unit.span(next(unit.words(*(others or unit.tokens.words)), 0))
        if edits:
            start, end = min((e.start, e.end) for e in edits if e.start < e.end)
        edits += _more_headers(unit, missing, headers)
        fix = Fix("safe", "HIP's names in place", tuple(sorted(edits)), helpers=tuple(others), late=True)
        yield Finding(code, start, end, detail, fix)
    stays = next(unit.words(*unknown), None) if unknown else None
    if stays is not None:
        shown = ", ".join(unknown[:8]) + (" ..." if len(unknown) > 8 else "")
        yield unit.finding(code, stays, detail=f"HIP has no counterpart, so it stays: {shown}")


def _renames(unit: Unit, names: Mapping[str, str]) -> Iterator[Edit]:
    texts = unit.texts
    for i in unit.words(*names, guarded=True):
        if unit.is_member(i) or not (unit.live(i) or _behind_version(unit, i)):
            continue
        before = unit.previous(i)
        if before > 0 and texts[before] == "::" and unit.tokens.kinds[unit.previous(before)] == WORD:
            continue  # somebody's own name in a namespace or a class
        new = names[texts[i]]
        if new == "hipEventCreate":
            call = unit.call(i)
            if call is not None and len(call.args) == 2:
                new = "hipEventCreateWithFlags"
        start, end = unit.span(i)
        if not new and unit.source.data[end : end + 1] == b" ":
            end += 1
        yield Edit(start, end, new)


def _namespaces(unit: Unit) -> Iterator[Edit]:
    """``cub::`` and ``namespace cub``."""
    if unit.provided("cub"):
        return
    texts = unit.texts
    for i in unit.words("cub"):
        qualifies = texts[unit.next(i)] == "::" and texts[unit.previous(i)] != "::"
        if qualifies or (texts[unit.previous(i)] == "namespace" and texts[unit.next(i)] == ";"):
            yield unit.edit(i, i, "hipcub")


def _includes(unit: Unit, headers: Mapping[int, str]) -> Iterator[Edit]:
    """The paths of the includes; a line is dropped where an earlier one brings the same header."""
    data = unit.source.data
    seen: set[str] = set()
    for name, _, d in unit.pre.includes:
        if d.token not in headers:
            if unit.pre.live(d.start) is True:
                seen.add(name)
            continue
        header = headers[d.token] or RUNTIME
        start, end = d.start, data.find(b"\n", d.start) + 1 or len(data)
        line_start = data.rfind(b"\n", 0, start) + 1
        path = unit.tokens.starts[d.first]
        close = data.find(b">" if data[path : path + 1] == b"<" else b'"', path + 1, d.end) + 1
        if not close:
            continue
        if header in seen and not data[line_start:start].strip() and not data[close:end].strip():
            yield Edit(line_start, end, "")
        else:
            if header == "hipblas/hipblas.h":
                yield Edit(line_start, line_start, HIPBLAS_V2 + unit.source.newline)
            yield Edit(path, close, f"<{header}>")
        if unit.pre.live(d.start) is True:
            seen.add(header)


def _lacks_runtime(unit: Unit, renamed: Mapping[int, str]) -> bool:
    """Whether a source relies on nvcc, which includes CUDA's runtime before line 1: so does an own header in front."""
    if unit.source.path.suffix != ".cu":
        return False
    for name, _, d in unit.pre.includes:
        if unit.pre.live(d.start) is False:
            continue
        if (renamed.get(d.token, name) or RUNTIME).startswith("hip/hip_runtime"):
            return False
        if unit.own_header(name):
            return True
    return True


def _more_headers(unit: Unit, missing: list[str], renamed: Mapping[int, str]) -> Iterator[Edit]:
    """Includes that CUDA's compiler or headers made unnecessary; the runtime comes before all others."""
    live = [(n, d) for n, _, d in unit.pre.includes if unit.pre.live(d.start) is not False]
    now = [renamed[d.token] or RUNTIME if d.token in renamed else n for n, d in live]
    if _lacks_runtime(unit, renamed):
        missing = [RUNTIME, *missing]
    lines = [f"#include <{h}>" for h in dict.fromkeys(missing) if h == RUNTIME or h not in now]
    if not lines:
        return
    newline = unit.source.newline
    if live:
        at = live[0][1].start
        branch = unit.pre.branch(at)
        while branch is not None:
            if not branch.conditional.default:
                at = branch.conditional.branches[0].opener.start
            branch = branch.parent
        at = unit.source.data.rfind(b"\n", 0, at) + 1
        yield Edit(at, at, "".join(line + newline for line in lines))
    else:
        at, before, after = insertion_point(unit)
        yield Edit(at, at, before + newline.join(lines) + newline + after)
