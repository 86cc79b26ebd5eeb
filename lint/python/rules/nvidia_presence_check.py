"""AMD1007: "is there a GPU?" asked by looking for NVIDIA's files."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..module import Module
from ..values import text_of

_PLACES = {"os.path.exists", "os.path.isdir", "os.path.isfile", "os.access", "os.listdir"}
_FINDERS = {"shutil.which", "distutils.spawn.find_executable", "find_executable"}
_FOLDER = re.compile(r"/usr/local/cuda[^:]*|/proc/driver/nvidia[^:]*|/dev/nvidia[^:]*")
_TOOL = re.compile(r"nvidia-smi(?:\.exe)?|nvcc(?:\.exe)?")
_AMD = re.compile(
    rb"/opt/rocm|/dev/kfd|rocm-smi|amd-smi|rocminfo|hipcc|ROCM_HOME|ROCM_PATH|version\.hip|amdgpu|is_rocm|is_hip|IS_ROCM"
)
_GPU = re.compile(
    r"gpu|cuda_(?:avail|device|present)|has_cuda|is_cuda|use_cuda|accel|device|nvidia", re.IGNORECASE
)
_NEAR = re.compile(rb"/usr/local/cuda|/proc/driver/nvidia|/dev/nvidia|nvidia-smi|[\"\']nvcc")


@rule("AMD1007", triggers={"usr", "nvidia", "smi", "nvcc"})
def nvidia_presence_check(module: Module) -> Iterator[Finding]:
    if not module.mentions(_NEAR):
        return
    chains: set[ast.AST] = set()
    for call in module.calls(*_PLACES, *_FINDERS):
        place = text_of(module, call.args[0]) if call.args else None
        if isinstance(call.func, ast.Attribute) and call.func.attr in ("exists", "is_dir") and place is None:
            place = text_of(module, call.func.value)
        if place is None or not (
            _FOLDER.fullmatch(place) or (_TOOL.fullmatch(place) and bool(module.names(call.func) & _FINDERS))
        ):
            continue
        top = _chain(module, call)
        if top in chains or not _decides_gpu(module, top) or module.guarded(call) or _knows_amd(module, top):
            continue
        chains.add(top)
        yield module.report(
            "AMD1007",
            top,
            "false on a machine with AMD GPUs: nothing of this is there",
            _fix(module, call, top),
        )


def _chain(module: Module, call: ast.Call) -> ast.expr:
    """The whole or-chain (and the comparison with None) that a look-up is part of."""
    top: ast.expr = call
    for above in module.parents(call):
        if (
            isinstance(above, ast.Compare)
            or (isinstance(above, ast.BoolOp) and isinstance(above.op, ast.Or))
            or (isinstance(above, ast.Call) and isinstance(above.func, ast.Name) and above.func.id == "bool")
        ):
            top = above
        else:
            break
    return top


def _decides_gpu(module: Module, top: ast.expr) -> bool:
    """Whether the answer is kept or used as "there is a GPU": by the name of the variable or of the function."""
    above = module.parent(top)
    if isinstance(above, (ast.Assign, ast.AnnAssign)):
        targets = above.targets if isinstance(above, ast.Assign) else [above.target]
        return any(_GPU.search(module.text(t)) is not None for t in targets)
    if isinstance(above, ast.Return):
        function = module.function(above)
        return function is not None and _GPU.search(function.name) is not None
    return False


def _knows_amd(module: Module, top: ast.expr) -> bool:
    function = module.function(top)
    region = function if function is not None else module.tree
    return bool(_AMD.search(module.text(region).encode() if function is not None else module.source.data))


def _fix(module: Module, call: ast.Call, top: ast.expr) -> Fix | None:
    names = module.names(call.func)
    if (
        not names & _PLACES
        or not isinstance(call.func, ast.Attribute)
        or not (top is call or isinstance(top, ast.BoolOp))
    ):
        return None
    os_path = module.text(call.func.value)
    return Fix(
        "safe", "look for the AMD driver too", (module.after(top, f' or {os_path}.exists("/dev/kfd")'),)
    )
