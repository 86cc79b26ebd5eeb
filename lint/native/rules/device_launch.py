"""AMD3243: a kernel launches a kernel."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..unit import Unit

CODE = "AMD3243"


@rule(CODE, triggers={"__global__", "__device__"})
def device_launch(unit: Unit) -> Iterator[Finding]:
    for launch in unit.launches:
        function = unit.function(launch.name)
        if function is None or not function.kernel or function.host:
            continue
        yield unit.finding(
            CODE,
            launch.name,
            launch.close,
            detail=f"{function.name} runs on the GPU; HIP launches kernels from the host only",
            fix=Fix(
                "display",
                "launch the child from the host",
                paste="parent<<<grid, block, 0, stream>>>(...);\nchild<<<grid2, block2, 0, stream>>>(...);",
            ),
        )
