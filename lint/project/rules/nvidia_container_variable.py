"""AMD7105: variables that only NVIDIA's container runtime reads."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from .. import edits
from ..file import ProjectFile, Variable

NAMES = ("NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES", "NVIDIA_REQUIRE_CUDA")


@rule("AMD7105", triggers=set(NAMES))
def nvidia_container_variable(file: ProjectFile) -> Iterator[Finding]:
    """Report them; the fix sets AMD's variable beside the list of devices."""
    if file.for_both:
        return
    if file.role == "compose" and file.mentions(r"runtime:\s*[\"']?nvidia"):
        return  # part of what the rule on the runtime reports
    found = [v for v in file.variables if v.name in NAMES and not v.guarded]
    devices = next((v for v in found if v.name == "NVIDIA_VISIBLE_DEVICES"), None)
    fix = _add(file, devices) if devices is not None else None
    for variable in found:
        yield Finding(
            "AMD7105",
            variable.start,
            variable.end,
            detail="only NVIDIA's container runtime reads it",
            fix=fix,
        )


def _add(file: ProjectFile, variable: Variable) -> Fix | None:
    value = file.source.text(variable.value_start, variable.value_end)
    if value not in ("all", "") and not all(
        c in "0123456789,$={}:-_ABCDEFGHIJKLMNOPQRSTUVWXYZ" for c in value
    ):
        return None
    edit: Edit | None = None
    line_start = file.text.rfind("\n", 0, variable.start) + 1
    before = file.text[line_start : variable.start].strip()
    if (
        variable.where == "env"
        and before.upper() == "ENV"
        and "=" in file.text[variable.start : variable.end]
    ):
        line_end = file.text.find("\n", variable.end)
        rest = file.text[variable.end : line_end if line_end >= 0 else len(file.text)].strip()
        if not rest:
            edit = edits.line_after(file, variable.end, f"ENV AMD_VISIBLE_DEVICES={value}")
        else:
            edit = Edit(variable.end, variable.end, f" AMD_VISIBLE_DEVICES={value}")
    elif variable.where == "env" and not before:
        edit = Edit(variable.end, variable.end, f" AMD_VISIBLE_DEVICES={value}")
    elif variable.where == "item" and before == "-":
        edit = edits.line_after(file, variable.end, f"- AMD_VISIBLE_DEVICES={value}")
    elif variable.where == "mapping" and not before and file.kind == "yaml":
        raw = file.source.text(file.text.index(":", variable.start) + 1, variable.end).strip()
        edit = edits.line_after(file, variable.end, f"AMD_VISIBLE_DEVICES: {raw}")
    elif variable.where == "export" and before == "export":
        edit = edits.line_after(file, variable.end, f"export AMD_VISIBLE_DEVICES={value}")
    return Fix("safe", "set the variable that AMD's runtime reads as well", (edit,)) if edit else None
