"""AMD2005: nvcc run as a command."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..build import NVCC_ONLY
from ..commands import runs
from ..fixes import display, leave_first, otherwise
from ..module import Module


@rule("AMD2005", triggers={"nvcc"})
def nvcc_subprocess(module: Module) -> Iterator[Finding]:
    for call, place, words in runs(module, "nvcc"):
        if module.guarded(call) or module.guarded(place) or module.tried(call, "OSError"):
            continue
        yield module.report(
            "AMD2005",
            place,
            "there is no nvcc on a ROCm machine: FileNotFoundError",
            _fix(module, place, words),
        )


def _fix(module: Module, place: ast.expr, words: list[str]) -> Fix | None:
    if any(w in ("-V", "--version") for w in words):
        return _skip_probe(module, place) or display("skip the probe on ROCm", _PROBE)
    text = module.text(place)
    if not isinstance(place, (ast.Constant, ast.JoinedStr)) or '"""' in text or "'''" in text:
        return None
    amd = re.sub(r"(?<![\w/])nvcc(?![\w.])", "hipcc", text)
    amd = re.sub(r"-Xcompiler[ =]", "", amd)
    left = [w for w in amd.strip("rbfRBF'\"").split() if NVCC_ONLY.fullmatch(w)]
    if left or "hipcc" not in amd:
        return None
    return otherwise(module, place, amd, "run hipcc on ROCm")


def _skip_probe(module: Module, place: ast.expr) -> Fix | None:
    """A function that asks for the version of the toolkit is left at once on ROCm."""
    function = module.function(place)
    statement = module.statement(place)
    if function is None or module.parent(statement) is not function:
        return None
    answers = any(isinstance(n, ast.Return) and n.value is not None for n in module.walk(function))
    fix = leave_first(module, statement, "return None" if answers else "return", "skip the probe on ROCm")
    if fix is None or not answers:
        return fix
    reason = "Callers get None instead of a version on ROCm."
    return Fix("unsafe", fix.message, fix.edits, reason=reason, imports=fix.imports)


_PROBE = """
if torch.version.hip is None:
    check_nvcc_version()
"""
