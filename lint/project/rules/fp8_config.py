"""AMD5102: FP8 training asked for in a config, which many AMD GPUs cannot do."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import configs
from ..file import ProjectFile

# Targets without FP8 matrix instructions.
WITHOUT = ("gfx906", "gfx908", "gfx90a", "gfx103*", "gfx110*", "gfx115*")


@rule("AMD5102", triggers={"fp8"})
def fp8_config(file: ProjectFile) -> Iterator[Finding]:
    """Report fp8: true of LLaMA-Factory and axolotl."""
    if file.role not in ("llamafactory", "axolotl"):
        return
    for node in configs.settings(file, "fp8"):
        if node.true and len(node.path()) == 1:
            fix = Fix(
                "unsafe",
                "train in bf16",
                (configs.set_value(file, node, "false"),),
                reason="GPUs that have FP8 lose it",
            )
            yield Finding(
                "AMD5102",
                node.key_start,
                node.end,
                detail="MI200 and RDNA3 have no FP8 matrix instructions",
                fix=fix,
                targets=WITHOUT,
            )
