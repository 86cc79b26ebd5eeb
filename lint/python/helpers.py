"""Helper functions that a fix puts into the user's file, once. They depend on nothing but torch."""

from __future__ import annotations

ROCM_ARCH = '''\
def _rocm_arch(device: int = 0) -> str:
    """The gfx target of a GPU ("gfx942"), or "" where torch is not built for ROCm."""
    if torch.version.hip is None or not torch.cuda.is_available():
        return ""
    return torch.cuda.get_device_properties(device).gcnArchName.split(":")[0]
'''

# name of the function: its text and the imports that the text needs
HELPERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "_rocm_arch": (ROCM_ARCH, ("import torch",)),
}
