"""AMD6106: quantization packages whose wheels hold CUDA kernels only."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import edits, packages
from ..file import ProjectFile

NAMES = r"auto-gptq|autoawq|autoawq-kernels|gptqmodel-cuda|exllamav2|awq-inference-engine"

REASON = "code that imports auto_gptq or awq by name has to be adapted on every GPU"


@rule("AMD6106", triggers={"auto", "auto_gptq", "autoawq", "autoawq_kernels", "exllamav2"})
def gptq_awq_cuda_wheels(file: ProjectFile) -> Iterator[Finding]:
    """Report them; GPTQModel is the maintained package with ROCm builds."""
    found = list(packages.asked(file, NAMES))
    replaced = bool(found) and any(requirement.name == "gptqmodel" for requirement in file.requirements)
    for requirement in found:
        fix = None
        if requirement.name in ("auto-gptq", "autoawq", "autoawq-kernels"):
            edit = edits.remove(file, requirement) if replaced else edits.replace(requirement, "gptqmodel")
            replaced = True
            if edit:
                fix = Fix("unsafe", "ask for GPTQModel", (edit,), reason=REASON)
        yield Finding(
            "AMD6106",
            requirement.start,
            requirement.end,
            detail=f"{requirement.name}: the wheel holds CUDA kernels",
            fix=fix,
        )
