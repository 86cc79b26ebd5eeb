"""AMD6133: DeepSpeed's use_gds."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import configs
from ..file import ProjectFile


@rule("AMD6133", triggers={"use_gds"})
def deepspeed_gds_config(file: ProjectFile) -> Iterator[Finding]:
    """Report use_gds: true in the aio block."""
    for node in configs.settings(file, "use_gds"):
        if node.true and "aio" in node.path():
            fix = Fix(
                "unsafe",
                "use asynchronous I/O without GDS",
                (configs.set_value(file, node, "false"),),
                reason="NVIDIA machines with GPUDirect Storage then copy through the host",
            )
            yield Finding("AMD6133", node.key_start, node.end, detail="the GDS op refuses ROCm", fix=fix)
