"""AMD5003: TrainingArguments(tf32=True)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..fixes import otherwise
from ..module import Module

_CLASS = re.compile(
    r"\w*TrainingArguments|(?:SFT|DPO|GRPO|PPO|RLOO|KTO|ORPO|CPO|Reward|PRM|GKD|BCO|OnlineDPO|NashMD|XPO)Config"
)
_NEAR = re.compile(rb"tf32\s*=")


@rule("AMD5003", triggers={"tf32"})
def tf32_training_argument(module: Module) -> Iterator[Finding]:
    if not module.mentions(_NEAR):
        return
    for keyword in module.keywords("tf32"):
        call = module.parent(keyword)
        if not isinstance(call, ast.Call) or not (
            isinstance(keyword.value, ast.Constant) and keyword.value.value is True
        ):
            continue
        if not any(_CLASS.fullmatch(n.rpartition(".")[2]) for n in module.names(call.func)) or module.guarded(
            keyword
        ):
            continue
        fix = otherwise(module, keyword.value, "None", "ask for tf32 on NVIDIA only")
        yield module.report(
            "AMD5003", keyword, "ValueError on ROCm: transformers takes tf32 for an NVIDIA feature", fix
        )
