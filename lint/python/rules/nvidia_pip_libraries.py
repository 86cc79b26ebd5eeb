"""AMD8003: library folders of the nvidia-* wheels."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..module import Module
from ..packages import optional, required
from ..values import text_of

_PACKAGES = (
    "nvidia.cudnn",
    "nvidia.cublas",
    "nvidia.cuda_runtime",
    "nvidia.nccl",
    "nvidia.cuda_nvrtc",
    "nvidia.cusparse",
    "nvidia.cufft",
    "nvidia.curand",
)
_FOLDER = re.compile(
    r".*\bnvidia/(?:cudnn|cublas|cuda_runtime|nccl|cuda_nvrtc|cusparse|cufft|curand|nvjitlink)(?:/(?:lib|include|bin).*)?"
)


@rule("AMD8003", triggers={p.partition(".")[2] for p in _PACKAGES})
def nvidia_pip_libraries(module: Module) -> Iterator[Finding]:
    for stmt, dotted in required(module, *_PACKAGES):
        yield module.report(
            "AMD8003", stmt, f"{dotted} comes with CUDA wheels of torch only", optional(module, stmt)
        )
    for package in _PACKAGES:
        for node in module.strings(package.partition(".")[2]):
            if not isinstance(node.value, str) or not _FOLDER.fullmatch(node.value) or module.guarded(node):
                continue
            above = module.parent(module.fstring(node) or node)
            if isinstance(above, (ast.Call, ast.BinOp)) and not module.tried(node, "OSError"):
                yield module.report("AMD8003", node, "this folder comes with CUDA wheels of torch only")
    for call in module.calls("os.path.join"):
        path = text_of(module, call) or ""
        if (
            _FOLDER.fullmatch(path)
            and not module.guarded(call)
            and not module.tried(call, "OSError")
            and not _looked_up(module, call)
        ):
            yield module.report("AMD8003", call, "this folder comes with CUDA wheels of torch only")


def _looked_up(module: Module, call: ast.Call) -> bool:
    """A pattern for glob, or a folder in a list whose members are asked for before use."""
    if "*" in module.text(call):
        return True
    function = module.function(call)
    listed = any(isinstance(above, (ast.List, ast.Tuple, ast.For)) for above in module.parents(call))
    return (
        listed
        and function is not None
        and re.search(r"\.isdir\(|\.is_dir\(|\bexists\(|glob\(", module.text(function)) is not None
    )
