"""AMD6001: NVML, which knows no AMD GPU."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..fixes import leave_first, only_on_nvidia, torch_name
from ..module import Module
from ..packages import Import, required

_PACKAGES = ("pynvml", "nvidia_smi", "py3nvml")
# What torch.cuda answers on both vendors. {0} is the device. torch gives AMD's power in watts, NVML in milliwatts.
_TWINS = {
    "nvmlDeviceGetHandleByIndex": "{0}",
    "nvmlDeviceGetCount": "torch.cuda.device_count()",
    "nvmlDeviceGetPowerUsage": "torch.cuda.power_draw({0}) * 1000",
    "nvmlDeviceGetTemperature": "torch.cuda.temperature({0})",
    "nvmlDeviceGetName": "torch.cuda.get_device_name({0})",
}
_FIELDS = {
    ("nvmlDeviceGetUtilizationRates", "gpu"): "torch.cuda.utilization({0})",
    ("nvmlDeviceGetUtilizationRates", "memory"): "torch.cuda.memory_usage({0})",
    ("nvmlDeviceGetMemoryInfo", "used"): "torch.cuda.device_memory_used({0})",
    ("nvmlDeviceGetMemoryInfo", "free"): "torch.cuda.mem_get_info({0})[0]",
    ("nvmlDeviceGetMemoryInfo", "total"): "torch.cuda.mem_get_info({0})[1]",
}
# Structures that are kept in a variable.
_STRUCTURES = {
    name: "types.SimpleNamespace(" + ", ".join(f"{f}={v}" for (n, f), v in _FIELDS.items() if n == name) + ")"
    for name in ("nvmlDeviceGetUtilizationRates", "nvmlDeviceGetMemoryInfo")
}
_NOTHING = {"nvmlInit", "nvmlShutdown"}
_CONSTANTS = "NVML_"


@rule("AMD6001", triggers={"pynvml", "nvidia_smi", "py3nvml"})
def pynvml(module: Module) -> Iterator[Finding]:
    for stmt, dotted in required(module, *_PACKAGES):
        yield module.report(
            "AMD6001",
            stmt,
            "NVML does not load on a machine without an NVIDIA driver",
            _fix(module, stmt, dotted),
        )


def _fix(module: Module, stmt: Import, dotted: str) -> Fix | None:
    return _by_torch(module, stmt) or _leave(module, stmt)


def _by_torch(module: Module, stmt: Import) -> Fix | None:
    """Ask torch on ROCm, when all that the file asks NVML has an answer there."""
    first = only_on_nvidia(module, stmt, "ask torch.cuda on ROCm")
    if first is None or module.function(stmt) is not None:
        return None
    if isinstance(stmt, ast.Import) and (
        len(stmt.names) != 1 or "." in (stmt.names[0].asname or stmt.names[0].name)
    ):
        return None
    edits, imports = list(first.edits), set(first.imports)
    for use, name in _uses(module, stmt):
        if name.startswith(_CONSTANTS) or module.guarded(use):
            continue
        call = module.parent(use)
        if not isinstance(call, ast.Call) or call.func is not use or module.fstring(call) is not None:
            return None
        more = _call(module, call, name)
        if more is None:
            return None
        edits += more.edits
        imports |= set(more.imports)
    if module.repo.imports("torch"):
        return Fix("safe", first.message, tuple(edits), imports=tuple(sorted(imports)))
    reason = "The file imports torch then, which nothing in this repository does."
    return Fix("unsafe", first.message, tuple(edits), reason=reason, imports=tuple(sorted(imports)))


def _uses(module: Module, stmt: Import) -> Iterator[tuple[ast.expr, str]]:
    """Every use of the package: the expression, and the name in NVML."""
    if isinstance(stmt, ast.Import):
        alias = stmt.names[0].asname or stmt.names[0].name
        for hit in module.hits(alias):
            attribute = module.parent(hit)
            if isinstance(hit, ast.Name):
                yield (attribute, attribute.attr) if isinstance(attribute, ast.Attribute) else (hit, "")
        return
    names = {a.asname or a.name: a.name for a in stmt.names}
    if "*" in names:
        names = {w: w for w in module.words if w.startswith(("nvml", _CONSTANTS))}
    for bound, name in sorted(names.items()):
        for hit in module.hits(bound):
            if isinstance(hit, ast.Name) and isinstance(hit.ctx, ast.Load):
                yield hit, name


def _call(module: Module, call: ast.Call, name: str) -> Fix | None:
    above = module.parent(call)
    torch = torch_name(module, call)
    if torch is None or torch[0] != "torch":
        return None
    if name in _NOTHING:
        return only_on_nvidia(module, above, "") if isinstance(above, ast.Expr) else None
    device = _device(module, call)
    place: ast.expr = call
    if name in _TWINS:
        amd = _TWINS[name]
    elif isinstance(above, ast.Attribute) and (name, above.attr) in _FIELDS:
        amd, place = _FIELDS[name, above.attr], above
    elif name in _STRUCTURES and isinstance(above, ast.Assign):
        amd = _STRUCTURES[name]
    else:
        return None
    if "{0}" in amd and (not device or "nvml" in device):
        return None
    holder = module.parent(place)
    bare = isinstance(holder, (ast.Assign, ast.AnnAssign, ast.Return, ast.keyword)) or (
        isinstance(holder, ast.Call) and place in holder.args
    )
    left, right = ("", "") if bare else ("(", ")")
    before = module.before(place, f"{left}{amd.format(device)} if torch.version.hip is not None else ")
    imports = (*torch[1], "import types") if amd.startswith("types.") else torch[1]
    return Fix("safe", "", (before, *((module.after(place, right),) if right else ())), imports=imports)


def _device(module: Module, call: ast.Call) -> str:
    """Text of the GPU that is asked about: the handle, or the index that it is made from."""
    first = call.args[0] if call.args else None
    if isinstance(first, ast.Call) and module.text(first.func).endswith("nvmlDeviceGetHandleByIndex"):
        first = first.args[0] if first.args else None
    return module.text(first) if first is not None else ""


def _leave(module: Module, stmt: Import) -> Fix | None:
    """A procedure that only tunes something (CPU affinity, a log line) is left on ROCm."""
    function = module.function(stmt)
    if function is None or any(
        isinstance(n, (ast.Yield, ast.YieldFrom, ast.Await)) for n in module.walk(function)
    ):
        return None
    if any(isinstance(n, ast.Return) and n.value is not None for n in module.walk(function)):
        return None
    if module.parent(stmt) is not function:
        return None
    return leave_first(module, stmt, "return", "do nothing on ROCm", "NVML does not know AMD GPUs")
