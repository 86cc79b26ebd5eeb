"""AMD6002: nvidia-smi run as a command."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..commands import runs
from ..fixes import torch_name
from ..module import Module

# One number per GPU and line, as --format=csv,noheader,nounits prints it.
_QUERIES = {
    "memory.free": "torch.cuda.mem_get_info(i)[0] // 2**20",
    "memory.total": "torch.cuda.mem_get_info(i)[1] // 2**20",
    "memory.used": "torch.cuda.device_memory_used(i) // 2**20",
    "utilization.gpu": "torch.cuda.utilization(i)",
    "utilization.memory": "torch.cuda.memory_usage(i)",
    "temperature.gpu": "torch.cuda.temperature(i)",
    "name": "torch.cuda.get_device_name(i)",
    "gpu_name": "torch.cuda.get_device_name(i)",
    "index": "i",
}
_REASON = "torch counts the visible GPUs only and opens a context on each; nvidia-smi lists all GPUs of the machine."
_NEAR = (b"nvidia-smi",)


@rule("AMD6002", triggers={"smi"})
def nvidia_smi_subprocess(module: Module) -> Iterator[Finding]:
    if not module.holds(*_NEAR):
        return
    for call, place, words in runs(module, "nvidia-smi"):
        if (
            module.guarded(call)
            or module.guarded(place)
            or module.tried(call, "OSError")
            or _offers_amd(module, call)
        ):
            continue
        yield module.report(
            "AMD6002", place, "there is no nvidia-smi on an AMD machine", _fix(module, call, words)
        )


def _offers_amd(module: Module, call: ast.Call) -> bool:
    function = module.function(call)
    text = module.text(function) if function is not None else module.text(module.statement(call))
    return "rocm-smi" in text or "amd-smi" in text or "amdsmi" in text


def _fix(module: Module, call: ast.Call, words: list[str]) -> Fix | None:
    query = next((m.group(1) for w in words if (m := re.fullmatch(r"--query-gpu=([a-z_.]+)", w))), None)
    format_ = next((w.removeprefix("--format=") for w in words if w.startswith("--format=")), "")
    if (
        query not in _QUERIES
        or set(format_.split(",")) < {"csv", "noheader"}
        or module.fstring(call) is not None
    ):
        return None
    if query not in ("name", "gpu_name", "index") and "nounits" not in format_:
        return None
    if len(words) != 3 or "subprocess.check_output" not in module.names(call.func):
        return None
    torch = torch_name(module, call)
    if torch is None or torch[0] != "torch":
        return None
    as_text = any(
        k.arg in ("encoding", "text", "universal_newlines")
        and not (isinstance(k.value, ast.Constant) and k.value.value in (False, None))
        for k in call.keywords
    )
    value = _QUERIES[query]
    shown = value if value.startswith("torch.cuda.get_device_name") else f"str({value})"
    lines = f'"\\n".join({shown} for i in range(torch.cuda.device_count()))'
    if not as_text:
        lines = f"{lines}.encode()"
    return Fix(
        "unsafe",
        "ask torch.cuda, which knows both vendors",
        (module.replace(call, lines),),
        reason=_REASON,
        imports=torch[1],
    )
