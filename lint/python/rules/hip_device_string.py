"""AMD1006: "hip" is no device; ROCm tensors live on "cuda"."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..module import Module
from ..values import flow

_DEVICE = re.compile(r"(?:hip|rocm)(?::\d+)?")
_TAKES_DEVICE = {
    "torch.device",
    "torch.autocast",
    "torch.amp.autocast",
    "torch.set_default_device",
    "torch.amp.GradScaler",
    "torch.get_device_module",
}
_KEYWORDS = {"device", "device_type", "map_location"}
_NEAR = re.compile(rb"[\"'](?:hip|rocm)[\"':]|(?<!version)\.hip\b")


@rule("AMD1006", triggers={"hip", "rocm"})
def hip_device_string(module: Module) -> Iterator[Finding]:
    if not module.mentions(_NEAR):
        return
    for word in ("hip", "rocm"):
        for node in module.hits(word):
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and _DEVICE.fullmatch(node.value)
                and _is_device(module, node)
            ):
                new = module.text(node).replace(word, "cuda")
                fix = (
                    Fix("safe", 'write "cuda": the name of AMD GPUs in torch', (module.replace(node, new),))
                    if module.fstring(node) is None
                    else None
                )
                yield module.report(
                    "AMD1006", node, f'torch has no device "{node.value}": AMD GPUs are called "cuda"', fix
                )
            elif (
                word == "hip"
                and isinstance(node, ast.Attribute)
                and "torch.hip" in module.names(node)
                and not module.guarded(node)
                and not module.tried(node, "AttributeError")
            ):
                yield module.report(
                    "AMD1006", node, "there is no module torch.hip: AMD GPUs are reached through torch.cuda"
                )


def _is_device(module: Module, node: ast.Constant) -> bool:
    # "cuda" if kind == "hip" else kind: the second kind is never the AMD one
    return any(_takes(module, value) for value in flow(module, node, module.guarded))


def _takes(module: Module, node: ast.expr) -> bool:
    """Whether an expression stands where torch wants a device."""
    above = module.parent(node)
    if isinstance(above, ast.keyword):
        call = module.parent(above)
        if above.arg not in _KEYWORDS or not isinstance(call, ast.Call):
            return False
        names = module.names(call.func)
        return any(n.startswith("torch.") for n in names) or (
            isinstance(call.func, ast.Attribute) and call.func.attr in ("to", "load_state_dict")
        )
    if isinstance(above, ast.Call) and above.args and above.args[0] is node:
        if module.names(above.func) & _TAKES_DEVICE:
            return True
        return isinstance(above.func, ast.Attribute) and above.func.attr == "to" and "torch" in module.words
    return False
