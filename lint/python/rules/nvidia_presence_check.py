"""AMD1007: "is there a GPU?" asked by looking for NVIDIA's files."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..commands import runs
from ..module import Module
from ..values import text_of

_PLACES = {"os.path.exists", "os.path.isdir", "os.path.isfile", "os.access", "os.listdir"}
_FINDERS = {"shutil.which", "distutils.spawn.find_executable", "find_executable"}
_FOLDER = re.compile(r"/usr/local/cuda[^:]*|/proc/driver/nvidia[^:]*|/dev/nvidia[^:]*")
_TOOL = re.compile(r"nvidia-smi(?:\.exe)?|nvcc(?:\.exe)?")
_AMD = re.compile(
    rb"/opt/rocm|/dev/kfd|rocm-smi|amd-smi|rocminfo|hipcc|ROCM_HOME|ROCM_PATH|version\.hip|amdgpu|is_rocm|is_hip|IS_ROCM"
)
_CPU = re.compile(r"[\"']cpu[\"']")
_GPU = re.compile(
    r"gpu|cuda_(?:avail|device|present)|has_cuda|is_cuda|use_cuda|accel|device|nvidia", re.IGNORECASE
)
_NEAR = (b"/usr/local/cuda", b"/proc/driver/nvidia", b"/dev/nvidia", b"nvidia-smi", b"nvcc")


@rule("AMD1007", triggers={"usr", "nvidia", "smi", "nvcc"})
def nvidia_presence_check(module: Module) -> Iterator[Finding]:
    if not module.holds(*_NEAR):
        return
    chains: set[ast.AST] = set()
    for call, place in _lookups(module):
        if not (
            _FOLDER.fullmatch(place) or (_TOOL.fullmatch(place) and bool(module.names(call.func) & _FINDERS))
        ):
            continue
        top = _chain(module, call)
        if top in chains or not _decides_gpu(module, top) or module.guarded(call) or _knows_amd(module, top):
            continue
        chains.add(top)
        detail = "false on a machine with AMD GPUs: nothing of this is there"
        yield module.report("AMD1007", top, detail, _fix(module, call, top))
    for call, named, _ in runs(module, "nvidia-smi"):
        handler = _no_gpu(module, call)
        if handler is not None and not _knows_amd(module, call):
            yield module.report(
                "AMD1007", named, "says that there is no GPU on an AMD machine", _ask_kfd(module, handler)
            )


def _lookups(module: Module) -> Iterator[tuple[ast.Call, str]]:
    """Calls that look for a file or a tool, and what they look for."""
    for call in module.calls(*_PLACES, *_FINDERS):
        place = text_of(module, call.args[0]) if call.args else None
        if place is not None:
            yield call, place
    for method in ("exists", "is_dir", "is_file"):
        for hit in module.hits(method):
            owned = isinstance(hit, ast.Attribute) and isinstance(hit.value, ast.Call)
            place = text_of(module, hit.value) if owned and isinstance(hit, ast.Attribute) else None
            above = module.parent(hit)
            if place is not None and isinstance(above, ast.Call) and above.func is hit:
                yield above, place


def _no_gpu(module: Module, call: ast.Call) -> ast.Return | None:
    """The ``return False`` for a failed nvidia-smi in a function that is asked for a GPU."""
    function = module.function(call)
    if function is None or not _GPU.search(function.name):
        return None
    for above in module.parents(call):
        if isinstance(above, ast.Try):
            for handler in above.handlers:
                last = handler.body[-1]
                if (
                    isinstance(last, ast.Return)
                    and isinstance(last.value, ast.Constant)
                    and last.value.value is False
                ):
                    return last
    return None


def _ask_kfd(module: Module, handler: ast.Return) -> Fix | None:
    visible = module.resolver.visible("os", handler)
    if handler.value is None or (visible and not any(b.dotted == "os" for b in visible)):
        return None
    edit = module.replace(handler.value, 'os.path.exists("/dev/kfd")')
    return Fix("safe", "look for the AMD driver too", (edit,), imports=("import os",))


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
    if isinstance(above, ast.UnaryOp) and isinstance(above.op, ast.Not):
        above = module.parent(above)
    if isinstance(above, ast.If):  # if shutil.which("nvidia-smi") is None: device = "cpu"
        branches = [*above.body, *above.orelse]
        return any(isinstance(s, (ast.Assign, ast.Return)) and _CPU.search(module.text(s)) for s in branches)
    if isinstance(above, ast.IfExp):
        return _CPU.search(module.text(above)) is not None
    return False


def _knows_amd(module: Module, top: ast.expr) -> bool:
    function = module.function(top)
    region = function if function is not None else module.tree
    return bool(_AMD.search(module.text(region).encode() if function is not None else module.source.data))


def _fix(module: Module, call: ast.Call, top: ast.expr) -> Fix | None:
    names = module.names(call.func)
    message = "look for the AMD driver too"
    if names & _FINDERS and module.fstring(call) is None:
        tool = module.text(call.args[0])
        amd = module.text(call).replace(tool, f"{tool[0]}amd-smi{tool[0]}")
        if tool[0] in "\"'":
            return Fix("safe", message, (module.replace(call, f"({module.text(call)} or {amd})"),))
    if (
        names & _PLACES
        and isinstance(call.func, ast.Attribute)
        and (top is call or isinstance(top, ast.BoolOp))
    ):
        found = f'{module.text(call.func.value)}.exists("/dev/kfd")'
        above = module.parent(top)
        if isinstance(above, (ast.Assign, ast.AnnAssign, ast.Return, ast.If)):
            return Fix("safe", message, (module.after(top, f" or {found}"),))
        return Fix("safe", message, (module.before(top, "("), module.after(top, f" or {found})")))
    return None
