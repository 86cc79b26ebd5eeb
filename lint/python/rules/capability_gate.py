"""AMD1001: a compute-capability test that an AMD GPU passes by accident."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import capability
from ..capability import Gate
from ..fixes import and_not_hip, or_hip
from ..module import Module


@rule("AMD1001", triggers={"get_device_capability", "get_device_properties"})
def capability_gate(module: Module) -> Iterator[Finding]:
    for gate in capability.gates(module):
        if gate.harmless or module.guarded(gate.test) or module.guards.amd_only(gate.test):
            continue
        if (
            gate.requirement
            or gate.volta
            or gate.ampere_test
            or gate.about("triton", "torch.compile", "inductor")
        ):
            # AMD passes, and most likely should: the reader decides.
            yield module.report("AMD1001", gate.test, gate.answer, severity="note")
        else:
            yield module.report("AMD1001", gate.test, gate.answer, _fix(module, gate))


def _fix(module: Module, gate: Gate) -> Fix | None:
    if gate.about("bf16", "bfloat16"):
        # bfloat16 exists on every AMD card that torch supports: say so instead of passing by accident.
        keep = or_hip if gate.at_least else and_not_hip
        return keep(module, gate.test, "say that ROCm has bfloat16, whatever number it answers")
    keep = and_not_hip if gate.at_least else or_hip
    return keep(module, gate.test, "keep the branch for NVIDIA")
