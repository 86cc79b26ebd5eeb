"""Ranges as small labels: for which GPUs, ROCm, torch, packages and systems something holds."""

from __future__ import annotations

from amdlint.kb.facts import FAMILIES
from amdlint.kb.model import Applies

from .prose import badge

NAMES = {
    "instinct": "Instinct",
    "radeon": "Radeon",
    "wave64": "wavefront 64",
    "wave32": "wavefront 32",
    **{f"cdna{i}": f"CDNA{i}" for i in range(1, 5)},
    **{f"rdna{i}": f"RDNA{i}" for i in (1, 2, 3, "3.5", 4)},
    "cdna": "CDNA",
    "rdna": "RDNA",
    "vega": "Vega",
    "gcn": "Polaris / Fiji",
}
SYSTEMS = {"linux": "Linux", "windows": "Windows", "wsl": "WSL2"}


def badges(applies: Applies) -> str:
    """The labels of a range; empty for "everywhere"."""
    found = []
    if applies.gfx != "all":
        for name in applies.gfx:
            members = FAMILIES.get(name.lower())
            tip = ", ".join(sorted(members, key=lambda g: (len(g), g))) if members else ""
            found.append(badge(NAMES.get(name.lower(), name), "gpu", tip))
    if applies.rocm:
        found.append(badge(f"ROCm {applies.rocm}", "version"))
    if applies.torch:
        found.append(badge(f"torch {applies.torch}", "version"))
    for package, wanted in applies.packages.items():
        found.append(badge(f"{package} {wanted}".strip(), "version"))
    found += [badge(SYSTEMS[name], "os") for name in applies.os]
    return " ".join(found)
