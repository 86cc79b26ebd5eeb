"""AMD3251: code behind __CUDA_ARCH__, which hipcc never defines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from ..lexer import STRING
from ..preprocess import Branch, Conditional, means_amd
from ..unit import Unit

CODE = "AMD3251"
_NVIDIA_BODY = re.compile(
    r"\b(?:asm|__asm__|nvcuda|cute|cutlass|__nanosleep|cuda::|wgmma|mma\.h|cuda_pipeline\.h)\b"
)


@rule(CODE, triggers={"__CUDA_ARCH__"})
def cuda_arch_guard(unit: Unit) -> Iterator[Finding]:
    for conditional in unit.pre.conditionals:
        if _names_amd(unit, conditional) or conditional.closer is None:
            continue
        for branch in conditional.branches:
            words = unit.texts[branch.opener.first : branch.opener.last]
            if "__CUDA_ARCH__" not in words or unit.pre.live(branch.opener.start) is False:
                continue
            if branch.own_amd is True and not _stands_alone(words):
                yield from _redefinition(unit, conditional, branch)
            if branch.own_amd is False and branch.own_nvidia is not False:
                detail = _lost(unit, conditional, branch)
                if detail:
                    opener = branch.opener
                    yield unit.finding(
                        CODE, opener.token, opener.last - 1, detail=detail, fix=_also_on_amd(unit, branch)
                    )
            break


def _stands_alone(words: list[str]) -> bool:
    return words == ["__CUDA_ARCH__"]


def _names_amd(unit: Unit, conditional: Conditional) -> bool:
    """Whether any condition of the group, or of those around it, speaks of AMD."""
    branch: Branch | None = conditional.branches[0]
    while branch is not None:
        for other in branch.conditional.branches:
            if any(
                means_amd(t) or "HIP" in t or "AMD" in t or "GFX" in t
                for t in unit.texts[other.opener.first : other.opener.last]
            ):
                return True
        branch = branch.parent
    return False


def _lost(unit: Unit, conditional: Conditional, branch: Branch) -> str:
    """What an AMD GPU loses because this branch is never compiled; empty: nothing worth a word."""
    body = _code(unit, branch)
    if any(t in ("<", "<=") for t in unit.texts[branch.opener.first : branch.opener.last]):
        return ""  # a fallback for old NVIDIA GPUs
    if "==" in unit.texts[branch.opener.first : branch.opener.last]:
        return ""  # written for one NVIDIA architecture
    if any(t.isdigit() and int(t) >= 900 for t in unit.texts[branch.opener.first : branch.opener.last]):
        return ""  # instructions of Hopper and later, which AMD has not
    if not body or all(t in ("return", ";", "break") for t in body):
        return ""
    text = unit.tokens.text[branch.opener.end : branch.end]
    inside = unit.function(branch.opener.last)
    if inside is not None and inside.body > branch.opener.last:
        inside = None  # the branch begins with the function
    rest = [b for b in conditional.branches if b is not branch]
    if rest:
        # "#ifdef __CUDA_ARCH__ device code #else host code": the GPU would run the host's version
        asks_pass = "<" not in "".join(
            t[0] for t in unit.texts[branch.opener.first : branch.opener.last]
        ) and not any(
            t in (">=", "<=", ">", "==", "!=") for t in unit.texts[branch.opener.first : branch.opener.last]
        )
        if (
            asks_pass
            and inside is not None
            and inside.device
            and _code(unit, rest[-1])
            and not _NVIDIA_BODY.search(text)
        ):
            return "hipcc defines no __CUDA_ARCH__: AMD GPUs run the host branch"
        other = _code(unit, rest[-1])
        gives_up = any(t in ("assert", "__trap", "printf", "CUDA_KERNEL_ASSERT") for t in other) or any(
            "error" in d for d in other
        )
        if inside is not None and inside.device and gives_up and not _NVIDIA_BODY.search(text):
            return "hipcc defines no __CUDA_ARCH__: AMD GPUs take the branch that gives up"
        return ""
    if inside is not None:
        if not inside.device or all(t in ("__CUDA_ARCH__",) for t in body):
            return ""
        if _nothing_else(unit, inside.body, inside.end, branch):
            return f"hipcc defines no __CUDA_ARCH__: {inside.name} is empty on AMD and does nothing, silently"
        return (
            ""
            if _NVIDIA_BODY.search(text) or _is_early_exit(body)
            else "hipcc defines no __CUDA_ARCH__: this code is missing on AMD"
        )
    lost = [
        f
        for f in unit.functions.found
        if (f.kernel or f.device) and branch.opener.end <= unit.tokens.starts[f.start] < branch.end
    ]
    missed = [f for f in lost if f.kernel or _called_outside(unit, f.name, branch)]
    return (
        f"hipcc defines no __CUDA_ARCH__: {missed[0].name} is not compiled for AMD"
        if missed and not _NVIDIA_BODY.search(text)
        else ""
    )


def _called_outside(unit: Unit, name: str, branch: Branch) -> bool:
    """Whether other code of the file needs a device function of the branch, and nothing else defines it."""
    if len(unit.functions.by_name.get(name, ())) != 1:
        return False
    starts = unit.tokens.starts
    return any(
        not (branch.opener.start <= starts[c.name] < branch.end) for c in unit.calls(name, guarded=True)
    )


def _is_early_exit(body: list[str]) -> bool:
    return "static_assert" in body[:2] or (len(body) < 8 and "return" in body)


def _nothing_else(unit: Unit, first: int, last: int, branch: Branch) -> bool:
    """Whether the function has no other statement than those of the branch."""
    starts = unit.tokens.starts
    return not any(
        not (branch.opener.start <= starts[i] < branch.end) and not unit._in_directive[i]
        for i in range(first + 1, last)
    )


def _code(unit: Unit, branch: Branch) -> list[str]:
    """The tokens of a branch without directives."""
    out = []
    for i in range(branch.opener.last, len(unit.texts)):
        if unit.tokens.starts[i] >= branch.end:
            break
        if not unit._in_directive[i]:
            out.append(unit.texts[i])
        elif unit.texts[i].endswith("error"):
            out.append("error")
    return out


def _also_on_amd(unit: Unit, branch: Branch) -> Fix:
    """Compile the branch in AMD's device pass as well; NVIDIA's condition keeps its value."""
    opener = branch.opener
    condition = unit.slice(opener.first, opener.last)
    if _NVIDIA_BODY.search(unit.tokens.text[opener.end : branch.end]):
        return Fix("display", "write the AMD side", paste=f"#elif {unit.amd_test}\n  // the same without PTX")
    if any(unit.tokens.kinds[i] == STRING for i in range(opener.first, opener.last)) or "\n" in condition:
        return Fix(
            "display",
            "compile it for AMD as well",
            paste="#if __CUDA_ARCH__ >= 800 || defined(__HIP_DEVICE_COMPILE__)",
        )
    start = unit.tokens.starts[opener.token]
    end = unit.tokens.end(opener.last - 1)
    directive = unit.texts[opener.token]
    word = "elif" if opener.name.startswith("el") else "if"
    lead = directive[: len(directive) - len(opener.name)]
    if opener.name in ("ifdef", "elifdef"):
        condition = f"defined({condition})"
    elif "&&" in condition or "?" in condition:
        condition = f"({condition})"
    text = f"{lead}{word} {condition} || defined(__HIP_DEVICE_COMPILE__)"
    return Fix("safe", "compile it for AMD as well", (Edit(start, end, text),))


def _redefinition(unit: Unit, conditional: Conditional, branch: Branch) -> Iterator[Finding]:
    """``#if __CUDA_ARCH__ < 600`` is true on AMD, and defines atomicAdd(double*) a second time."""
    defined = [
        f
        for f in unit.functions.found
        if f.name in ("atomicAdd", "__shfl_xor_sync", "__hmax", "__hmin")
        and branch.opener.end <= unit.tokens.starts[f.start] < branch.end
    ]
    if not defined:
        return
    opener = branch.opener
    condition = unit.slice(opener.first, opener.last)
    start, end = unit.tokens.starts[opener.first], unit.tokens.end(opener.last - 1)
    wrapped = condition if "||" not in condition else f"({condition})"
    amd = f"({unit.amd_test})" if "||" in unit.amd_test else unit.amd_test
    yield unit.finding(
        CODE,
        opener.token,
        opener.last - 1,
        detail=f"undefined counts as 0, so AMD compiles a second {defined[0].name}",
        fix=Fix(
            "safe",
            "not on AMD; NVIDIA's host pass still sees it",
            (Edit(start, end, f"{wrapped} && !{amd}"),),
        )
        if opener.name in ("if", "elif")
        else None,
    )
