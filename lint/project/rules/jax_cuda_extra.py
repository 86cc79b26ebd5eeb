"""AMD6118: JAX with its CUDA plugin."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import packages
from ..file import ProjectFile


@rule("AMD6118", triggers={"jax", "jaxlib", "jax_cuda12_plugin"})
def jax_cuda_extra(file: ProjectFile) -> Iterator[Finding]:
    """Report jax[cuda12] and the CUDA plugin packages."""
    for requirement in packages.asked(file, r"jax|jaxlib|jax-cuda\d+-(?:plugin|pjrt)"):
        if requirement.name.startswith("jax-cuda") or any(re.match(r"cuda", e) for e in requirement.extras):
            yield Finding(
                "AMD6118",
                requirement.start,
                requirement.end,
                detail="brings the CUDA plugin",
                fix=Fix("display", "on AMD ask for the ROCm plugin", paste="jax[rocm7-local]"),
            )
