"""AMD1001: a compute-capability test that an AMD GPU passes by accident."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import capability
from ..capability import Gate
from ..fixes import and_not_hip, or_hip, torch_name
from ..module import Module


@rule("AMD1001", triggers={"get_device_capability", "get_device_properties", *capability.GETTERS})
def capability_gate(module: Module) -> Iterator[Finding]:
    for gate in capability.gates(module):
        if gate.harmless or module.guarded(gate.test) or module.guards.amd_only(gate.test):
            continue
        if (
            gate.requirement
            or gate.volta
            or gate.ampere_test
            or gate.about("triton", "torch.compile", "inductor")
            or (gate.ampere and gate.about("flash", "sdpa"))
        ):
            # AMD passes, and most likely should: the reader decides.
            yield module.report("AMD1001", gate.test, gate.answer, severity="note")
        else:
            yield module.report("AMD1001", gate.test, gate.answer, _fix(module, gate))
    for case in capability.cases(module):
        if not module.guarded(case.node.body[0]) and not module.guards.amd_only(case.node):
            yield module.report("AMD1001", case.node.pattern, case.answer, _close(module, case.node))


def _close(module: Module, case: ast.match_case) -> Fix | None:
    """``case 9:`` becomes ``case 9 if torch.version.hip is None:``; AMD cards go on to the next case."""
    torch = torch_name(module, case.pattern)
    if torch is None or case.guard is not None:
        return None
    edit = module.after(case.pattern, f" if {torch[0]}.version.hip is None")
    return Fix("safe", "keep the case for NVIDIA", (edit,), imports=torch[1])


def _fix(module: Module, gate: Gate) -> Fix | None:
    if gate.about("bf16", "bfloat16"):
        # bfloat16 exists on every AMD card that torch supports: say so instead of passing by accident.
        keep = or_hip if gate.at_least else and_not_hip
        return keep(module, gate.test, "say that ROCm has bfloat16, whatever number it answers")
    keep = and_not_hip if gate.at_least else or_hip
    return keep(module, gate.test, "keep the branch for NVIDIA")
