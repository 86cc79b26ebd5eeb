"""AMD8001: CUDA wheels of torch installed from Python."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..module import Module

_INDEX = re.compile(
    r"https?://(?:download(?:-r2)?\.pytorch\.org|mirrors?\.[\w.]+[\w./-]*)/whl/(?:nightly/|test/)?cu(?:\d+)?"
)
_TAGGED = re.compile(r"(?:torch|torchvision|torchaudio|xformers)(?:\[\w+\])?==[\d.]+\+cu\d+")
_AMD = re.compile(rb"whl/(?:nightly/)?rocm|/opt/rocm|rocm-smi|amd-smi|version\.hip|/dev/kfd")
_TALK = {
    "print",
    "warning",
    "info",
    "debug",
    "error",
    "warn",
    "ImportError",
    "RuntimeError",
    "ValueError",
    "echo",
    "write",
    "exit",
    "add_argument",
}
_NEAR = re.compile(rb"whl/|\+cu\d")


@rule(
    "AMD8001",
    triggers={"whl", *(f"cu{n}" for n in (102, 113, 115, 116, 117, 118, 121, 124, 126, 128, 129, 130))},
)
def pip_cuda_index(module: Module) -> Iterator[Finding]:
    if not module.mentions(_NEAR):
        return
    if _AMD.search(module.source.data):
        return  # the file chooses
    if module.source.path.name.startswith(("test_", "conftest")):
        return  # what a test gives to the code under test is not installed
    for node in _strings(module):
        text = str(node.value)
        index = _INDEX.search(text)
        if (index is None and _TAGGED.search(text) is None) or module.guarded(node) or _told(module, node):
            continue
        yield module.report(
            "AMD8001",
            node,
            "puts a CUDA build over the ROCm one: no GPU is found afterwards",
            _fix(module, node, index),
        )


def _strings(module: Module) -> Iterator[ast.Constant]:
    seen: set[ast.AST] = set()
    for word in sorted(w for w in module.words if w == "whl" or re.fullmatch(r"cu\d{2,3}", w)):
        for node in module.strings(word):
            if node not in seen and isinstance(node.value, str):
                seen.add(node)
                yield node


def _told(module: Module, node: ast.Constant) -> bool:
    """Whether the text is shown to a person or documents something."""
    if "\n" in str(node.value) and len(str(node.value)) > 400:
        return True
    for above in module.parents(node):
        if isinstance(above, ast.Call):
            name = (
                above.func.id
                if isinstance(above.func, ast.Name)
                else above.func.attr
                if isinstance(above.func, ast.Attribute)
                else ""
            )
            if name in _TALK or name.endswith(("Error", "Exception", "Warning")):
                return True
        if isinstance(above, (ast.Raise, ast.Assert)):
            return True
        if isinstance(above, ast.keyword) and above.arg in (
            "help",
            "description",
            "epilog",
            "msg",
            "message",
            "reason",
        ):
            return True
        if isinstance(above, ast.stmt):
            if isinstance(above, ast.Assign):
                target = module.text(above.targets[0]).lower()
                return any(
                    w in target for w in ("msg", "message", "help", "hint", "doc", "usage", "instruction")
                )
            return False
    return False


def _fix(module: Module, node: ast.Constant, index: re.Match[str] | None) -> Fix | None:
    text = module.text(node)
    if (
        index is None
        or module.fstring(node) is not None
        or '"""' in text
        or "'''" in text
        or text[0] not in "\"'"
    ):
        return None
    rocm = module.settings.rocm or "7.2"
    amd = re.sub(r"/whl/(?:nightly/|test/)?cu(?:\d+)?", f"/whl/rocm{rocm}", text)
    above = module.parent(node)
    bare = isinstance(above, (ast.List, ast.Tuple, ast.keyword, ast.Assign, ast.Dict)) or (
        isinstance(above, ast.Call) and node in above.args
    )
    left, right = ("", "") if bare else ("(", ")")
    # A machine with NVIDIA's tools keeps its index, whatever else is in it.
    test = 'os.path.exists("/dev/kfd") and shutil.which("nvidia-smi") is None'
    edits = (
        module.before(node, f"{left}{amd} if {test} else "),
        *((module.after(node, right),) if right else ()),
    )
    if isinstance(above, ast.Assign) and re.search(
        r"cuda|cu\d", module.text(above.targets[0]), re.IGNORECASE
    ):
        return None  # a name that says CUDA must not hold the address of the ROCm wheels
    for name in ("os", "shutil"):
        visible = module.resolver.visible(name, node)
        if visible and not any(b.dotted == name for b in visible):
            return None
    return Fix("safe", "choose the index by the GPU driver", edits, imports=("import os", "import shutil"))
