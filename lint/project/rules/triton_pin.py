"""AMD6104: Triton pinned beside a PyTorch that brings its own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from .. import edits, packages
from ..file import ProjectFile


@rule("AMD6104", triggers={"triton"})
def triton_pin(file: ProjectFile) -> Iterator[Finding]:
    """Report pins and upper bounds; a bare or lower-bounded requirement is met by what PyTorch brings."""
    for requirement in packages.asked(file, "triton"):
        if not re.search(r"[=~]=|<", requirement.spec) or requirement.form == "conda":
            continue
        line = file.text.rfind("install", 0, requirement.start)
        if requirement.form == "command" and "/cpu" in file.text[max(0, line) : requirement.start]:
            continue  # beside a PyTorch for the CPU
        edit = edits.remove(file, requirement) if requirement.form in ("line", "toml", "conda-pip") else None
        fix = Fix(
            "unsafe",
            "let PyTorch choose its Triton",
            (edit,) if edit else (),
            reason="NVIDIA machines get the Triton that their PyTorch asks for instead of this one",
        )
        yield Finding(
            "AMD6104",
            requirement.start,
            requirement.end,
            detail="overwrites the Triton that the ROCm build of PyTorch brings",
            fix=fix if edit else None,
        )
