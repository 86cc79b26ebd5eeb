"""AMD7106: Kubernetes resources, tolerations, selectors and runtime classes of the NVIDIA device plugin."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from ..file import ProjectFile

REASON = "the pods can then run on AMD nodes only"


@rule("AMD7106", triggers={"nvidia"})
def kubernetes_nvidia_gpu(file: ProjectFile) -> Iterator[Finding]:
    """Report each key and value by its place."""
    if file.role not in ("kubernetes", "other") or file.for_both:
        return
    for node in file.nodes():
        if file.role == "other" and (node.parent is None or node.parent.key not in ("limits", "requests")):
            continue  # outside a manifest (Helm values, say) only resources are certain
        if node.key is not None and (node.key == "nvidia.com/gpu" or node.key.startswith("nvidia.com/mig-")):
            fix = None
            if node.key == "nvidia.com/gpu":
                at = file.text.index("nvidia.com", node.key_start)
                fix = Fix("unsafe", "ask for amd.com/gpu", (Edit(at, at + 10, "amd.com"),), reason=REASON)
            yield Finding(
                "AMD7106", node.key_start, node.end, detail="no AMD node offers this resource", fix=fix
            )
        elif node.kind == "scalar" and node.key == "key" and node.value.startswith("nvidia.com/gpu"):
            at = file.text.index("nvidia.com", node.start)
            fix = Fix("unsafe", "name the AMD key", (Edit(at, at + 10, "amd.com"),), reason=REASON)
            yield Finding("AMD7106", node.start, node.end, detail="a taint or label of NVIDIA nodes", fix=fix)
        elif node.key == "runtimeClassName" and node.value == "nvidia":
            yield Finding("AMD7106", node.key_start, node.end, detail="no such runtime class on AMD nodes")
        elif (
            node.key is not None
            and (node.key.startswith("nvidia.com/gpu.") or node.key == "cloud.google.com/gke-accelerator")
            and "nvidia" in node.key + node.value
        ):
            yield Finding("AMD7106", node.key_start, node.end, detail="a label of NVIDIA nodes")
