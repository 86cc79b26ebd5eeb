"""AMD6027: GPUDirect Storage (cuFile)."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..module import Module
from ..packages import required


@rule("AMD6027", triggers={"gds", "kvikio", "cufile"})
def gpudirect_storage(module: Module) -> Iterator[Finding]:
    for stmt, _ in required(module, "torch.cuda.gds", "kvikio", "cufile"):
        yield module.report(
            "AMD6027",
            stmt,
            "cuFile is not there on ROCm: read with torch.load(mmap=True) or into pinned memory",
        )
    for use in module.uses("torch.cuda.gds.GdsFile", "torch.cuda.gds.gds_register_buffer"):
        if "." in module.text(use) and not module.guarded(use) and not module.tried(use, "RuntimeError"):
            yield module.report(
                "AMD6027",
                use,
                "cuFile is not there on ROCm: read with torch.load(mmap=True) or into pinned memory",
            )
