"""AMD6212: nvrtc options beside a cupy.RawKernel, which hipRTC refuses."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from ..unit import Unit

CODE = "AMD6212"


@rule(CODE, triggers={"RawKernel", "RawModule"})
def raw_kernel_options(unit: Unit) -> Iterator[Finding]:
    for start, end, cupy in unit.options:
        fix = Fix(
            "safe",
            "no nvrtc options on AMD",
            (Edit(start, start, f"() if {cupy}.cuda.runtime.is_hip else "),),
        )
        yield Finding(
            CODE, start, end, "CuPy hands these options to hipRTC on AMD, which refuses nvrtc's", fix
        )
