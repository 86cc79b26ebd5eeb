"""AMD2008: libraries of the CUDA toolkit on the link line."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import build
from ..fixes import torch_name
from ..module import Module
from ..values import text_of

# Library of the CUDA toolkit: its ROCm counterpart; "" where torch links it by itself; None where there is none.
TWINS: dict[str, str | None] = {
    "cublas": "hipblas", "cublasLt": "hipblaslt", "cusolver": "hipsolver", "cusparse": "hipsparse", "curand": "hiprand", "cufft": "hipfft",
    "nvrtc": "hiprtc", "cudart": "amdhip64", "cuda": "amdhip64", "nccl": "rccl", "cudnn": "MIOpen", "nvToolsExt": "roctx64",
    "cufile": None, "cusparseLt": None, "nvjpeg": None, "nvml": None, "nvidia-ml": None, "cupti": None, "nvshmem": None, "nppi": None, "nvptxcompiler_static": None,
}  # fmt: skip


_NEAR = re.compile(rb"[\"\'](?:-l)?(?:cu[a-z]+|nv[a-zA-Z]+|nccl|nvidia-ml)(?:_static)?[\"\']")


@rule(
    "AMD2008",
    triggers={"libraries", "extra_link_args", "extra_ldflags", *(f"l{n}" for n in TWINS if "-" not in n)},
)
def cuda_link_libraries(module: Module) -> Iterator[Finding]:
    if not module.mentions(_NEAR):
        return
    seen: set[ast.AST] = set()
    for options, prefix in _lists(module):
        for run in build.elements(module, options):
            hits = [
                e
                for e in run
                if _library(module, e, prefix) is not None
                and e not in seen
                and not build.for_nvidia(module, e)
            ]
            if hits:
                seen.update(run)
                first = _library(module, hits[0], prefix)
                fix = _fix(module, run, hits, prefix)
                finding = module.report(
                    "AMD2008", hits[0], f"there is no lib{first} in ROCm: the linker stops", fix
                )
                yield Finding(finding.code, finding.start, module.span(hits[-1])[1], finding.detail, fix)


def _lists(module: Module) -> Iterator[tuple[ast.expr, str]]:
    for keyword in module.keywords("libraries", "extra_link_args", "extra_ldflags"):
        call = module.parent(keyword)
        if isinstance(call, ast.Call) and module.names(call.func) & set(build.EXTENSIONS):
            yield keyword.value, "" if keyword.arg == "libraries" else "-l"
    for name in ("extra_ldflags", "libraries_args"):
        for hit in module.hits(name):
            if isinstance(hit, (ast.FunctionDef, ast.AsyncFunctionDef)):
                for stmt in module.walk(hit):
                    if isinstance(stmt, ast.Return) and stmt.value is not None:
                        yield stmt.value, "" if name == "libraries_args" else "-l"


def _library(module: Module, node: ast.expr, prefix: str) -> str | None:
    text = text_of(module, node) or ""
    if not text.startswith(prefix):
        return None
    name = text[len(prefix) :].removesuffix("_static")
    return name if name in TWINS else None


def _fix(module: Module, run: list[ast.expr], hits: list[ast.expr], prefix: str) -> Fix | None:
    holder = module.parent(run[0])
    torch = torch_name(module, run[0])
    if torch is None or not isinstance(holder, ast.List):
        return None
    names = [_library(module, e, prefix) for e in hits]
    twins = [TWINS[n] for n in names if n is not None]
    if any(t is None for t in twins):
        return None
    amd = ", ".join(dict.fromkeys(f'"{prefix}{t}"' for t in twins if t))
    places = [run.index(h) for h in hits]
    if places != list(range(places[0], places[0] + len(places))):
        return None
    message = "link the ROCm libraries on ROCm"
    if len(holder.elts) == len(hits):
        left, right = "", f" if {torch[0]}.version.hip is None else [{amd}]"
        above = module.parent(holder)
        if not isinstance(above, (ast.keyword, ast.Return, ast.Assign)):
            left, right = "(", right + ")"
        edits = [module.after(holder, right)] + ([module.before(holder, left)] if left else [])
        return Fix("safe", message, tuple(edits), imports=torch[1])
    edits = [
        module.before(hits[0], "*(["),
        module.after(hits[-1], f"] if {torch[0]}.version.hip is None else [{amd}])"),
    ]
    return Fix("safe", message, tuple(edits), imports=torch[1])
