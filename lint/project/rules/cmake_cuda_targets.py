"""AMD2102: CUDA:: targets linked without a HIP branch."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..file import ProjectFile

TWINS = {
    "CUDA::cudart": "hip::host", "CUDA::cudart_static": "hip::host", "CUDA::cuda_driver": "hip::host",
    "CUDA::cublas": "roc::hipblas", "CUDA::cublas_static": "roc::hipblas", "CUDA::cublasLt": "roc::hipblaslt",
    "CUDA::cusparse": "roc::hipsparse", "CUDA::cusolver": "roc::hipsolver", "CUDA::curand": "hip::hiprand",
    "CUDA::cufft": "hip::hipfft", "CUDA::nvrtc": "hiprtc::hiprtc",
}  # fmt: skip


@rule("AMD2102", triggers={"CUDA"})
def cmake_cuda_targets(file: ProjectFile) -> Iterator[Finding]:
    """Report each target, with its twin where ROCm has one."""
    if file.kind != "cmake" or file.for_both:
        return
    for command in file.cmake_commands:
        if command.name not in ("target_link_libraries", "link_libraries", "list", "set") or file.guarded(
            command.start
        ):
            continue
        for argument in command.arguments:
            name = argument.text.strip('"')
            if not name.startswith("CUDA::"):
                continue
            twin = TWINS.get(name)
            yield Finding(
                "AMD2102",
                argument.start,
                argument.end,
                detail=f"ROCm has {twin}" if twin else "ROCm has no such target",
                fix=Fix("display", "in a HIP branch link", paste=twin) if twin else None,
            )
