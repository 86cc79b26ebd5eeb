"""AMD7103: a compose file that reserves GPUs through the nvidia driver or runs under the nvidia runtime."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from .. import edits
from ..file import ProjectFile
from ..tree import Node

REASON = "NVIDIA machines would then start the service without a GPU"


@rule("AMD7103", triggers={"nvidia", "gpus"})
def compose_nvidia_device(file: ProjectFile) -> Iterator[Finding]:
    """Report the reservation and the runtime of each service."""
    if file.role != "compose" or file.for_both:
        return
    for document in file.documents:
        services = document.get("services")
        for service in services.children if services is not None else ():
            yield from _service(file, service)


def _service(file: ProjectFile, service: Node) -> Iterator[Finding]:
    runtime = service.get("runtime")
    devices = service.get("deploy", "resources", "reservations", "devices")
    reserved = [
        driver
        for device in (devices.children if devices is not None else ())
        if (driver := device.get("driver")) is not None and driver.value == "nvidia"
    ]
    for driver in reserved:
        fix = None
        deploy = service.get("deploy")
        if deploy is not None and _only_devices(deploy, devices) and len(reserved) == 1:
            fix = _replace(file, service, deploy)
        yield Finding(
            "AMD7103", driver.key_start, driver.end, detail="no such driver on an AMD machine", fix=fix
        )
    gpus = service.get("gpus")
    if gpus is not None and gpus.value == "all":
        yield Finding(
            "AMD7103", gpus.key_start, gpus.end, detail="asks the default device driver, which is nvidia"
        )
    if runtime is not None and runtime.value == "nvidia":
        fix = _replace(file, service, runtime) if not reserved else None
        yield Finding(
            "AMD7103", runtime.key_start, runtime.end, detail="no such runtime on an AMD machine", fix=fix
        )
        for variable in file.variables:
            if variable.name == "NVIDIA_VISIBLE_DEVICES" and service.start <= variable.start < service.end:
                yield Finding("AMD7103", variable.start, variable.end, detail="read by that runtime only")


def _only_devices(deploy: Node, devices: Node | None) -> bool:
    """Whether the deploy block holds nothing but one GPU reservation."""
    node = devices
    while node is not None and node is not deploy:
        if node.parent is None or len(node.parent.children) != 1:
            return False
        node = node.parent
    return devices is not None and len(devices.children) == 1


def _replace(file: ProjectFile, service: Node, old: Node) -> Fix | None:
    """Pass the AMD device files instead of ``old``, where the service is written in block form."""
    if service.style or {"devices", "group_add"} & service.keys:
        return None
    begin = file.text.rfind("\n", 0, old.key_start) + 1
    indent = file.text[begin : old.key_start]
    if indent.strip(" "):
        return None
    _, stop = edits.whole_lines(file, old.key_start, max(old.key_end, len(file.text[: old.end].rstrip())))
    newline = file.source.newline
    rows = ["devices:", "  - /dev/kfd", "  - /dev/dri", "group_add:", "  - video"]
    text = "".join(f"{indent}{row}{newline}" for row in rows)
    return Fix("unsafe", "pass the AMD device files", (Edit(begin, stop, text),), reason=REASON)
