"""AMD8002: CUDA-only wheels among the requirements in setup.py."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from ..module import Module

_WHEELS = re.compile(
    r"(cupy-cuda\d+x?|nvidia-(?!ml-py)[\w-]+|nvidia-ml-py\d*|pynvml|onnxruntime-gpu|tensorrt(?:-\w+)?|torch-tensorrt|tensorrt-llm|cuda-python|pycuda"
    r"|transformer-engine(?:-\w+)?|flashinfer-python|apex|cudf-cu\d+|cuml-cu\d+|rmm-cu\d+|paddlepaddle-gpu|jax\[cuda\w*\]|deep-gemm)"
    r"(?:\[[\w,]+\])?\s*(?:[<>=!~;@ ].*)?",
    re.IGNORECASE,
)
_NEAR = (b"install_requires",)


@rule("AMD8002", triggers={"setup", "install_requires"})
def setup_nvidia_requirements(module: Module) -> Iterator[Finding]:
    if not module.holds(*_NEAR):
        return
    if "setuptools" not in module.words and "distutils" not in module.words:
        return
    for keyword, requirements in _lists(module):
        hits = [
            e
            for e in requirements.elts
            if isinstance(e, ast.Constant) and isinstance(e.value, str) and _is_nvidia(e.value)
        ]
        hits = [h for h in hits if not module.guarded(h)]
        if not hits:
            continue
        fix = _fix(module, keyword, requirements, hits)
        for i, run in enumerate(_runs(requirements, hits)):
            names = ", ".join(str(e.value) for e in run)
            finding = module.report(
                "AMD8002",
                run[0],
                f"{names}: made for CUDA, so the package cannot be installed or used on ROCm",
                fix if i == 0 else None,
            )
            yield Finding(finding.code, finding.start, module.span(run[-1])[1], finding.detail, finding.fix)


def _is_nvidia(text: str) -> bool:
    return _WHEELS.fullmatch(text) is not None and "rocm" not in text


def _lists(module: Module) -> Iterator[tuple[ast.keyword | None, ast.List]]:
    for keyword in module.keywords("install_requires"):
        value: ast.expr = keyword.value
        if isinstance(value, ast.Name):
            values = [b.value for b in module.resolver.lookup(value) if b.kind == "assign"]
            value = values[0] if len(values) == 1 and values[0] is not None else value
        if isinstance(value, ast.List):
            yield keyword, value


def _runs(requirements: ast.List, hits: list[ast.Constant]) -> Iterator[list[ast.Constant]]:
    run: list[ast.Constant] = []
    for element in requirements.elts:
        if element in hits and isinstance(element, ast.Constant):
            run.append(element)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _fix(
    module: Module, keyword: ast.keyword | None, requirements: ast.List, hits: list[ast.Constant]
) -> Fix | None:
    """The wheels move to an extra called "cuda"."""
    if keyword is None or any(module.fstring(h) is not None for h in hits):
        return None
    call = module.parent(keyword)
    if not isinstance(call, ast.Call):
        return None
    data, newline = module.source.data, module.source.newline
    edits = []
    for hit in hits:
        start, end = module.span(hit)
        rest = data[end:]
        comma = len(rest) - len(rest.lstrip()) + 1 if rest.lstrip().startswith(b",") else 0
        line_start = data.rfind(b"\n", 0, start) + 1
        line_end = data.find(b"\n", end)
        whole = (
            line_end >= 0 and not data[line_start:start].strip() and not data[end:line_end].strip(b", \t\r")
        )
        if whole:
            edits.append(Edit(line_start, line_end + 1, ""))
        else:
            blank = len(data[end + comma :]) - len(data[end + comma :].lstrip(b" "))
            edits.append(Edit(start, end + comma + blank, ""))
    texts = ", ".join(module.text(h) for h in hits)
    extras = next((k for k in call.keywords if k.arg == "extras_require"), None)
    if extras is not None:
        if not isinstance(extras.value, ast.Dict) or not extras.value.keys or extras.value.keys[0] is None:
            return None
        first = extras.value.keys[0]
        edits.append(module.before(first, f'"cuda": [{texts}], '))
    else:
        start, _ = module.span(keyword)
        line_start = data.rfind(b"\n", 0, start) + 1
        white = data[line_start:start]
        joint = f",{newline}{white.decode()}" if not white.strip() else ", "
        edits.append(module.before(keyword, f'extras_require={{"cuda": [{texts}]}}{joint}'))
    reason = 'pip install no longer brings these wheels by itself: NVIDIA users ask for the extra "cuda".'
    return Fix("unsafe", 'move them to an extra called "cuda"', tuple(edits), reason=reason)
