"""AMD2200: code behind CUDA_VERSION or CUDART_VERSION, which ROCm builds do not have."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from ..preprocess import Branch, Conditional, means_amd
from ..unit import Unit

CODE = "AMD2200"
VERSIONS = ("CUDA_VERSION", "CUDART_VERSION", "__CUDACC_VER_MAJOR__", "TORCH_CUDA_VERSION")
_GIVES_UP = re.compile(
    r"#\s*error|\bthrow\b|TORCH_CHECK|AT_ERROR|AT_ASSERT|assert\s*\(\s*(?:false|0)|not supported|unsupported|requires CUDA",
    re.IGNORECASE,
)
_OTHERS_GIVE_UP = re.compile(rf"{_GIVES_UP.pattern}|does not support|\bexit\s*\(|\babort\s*\(", re.IGNORECASE)
_BASIC = 9000
"""What CUDA had before version 9, HIP has."""
_LOST_FEATURE = re.compile(
    r"cudaMallocAsync|cudaFreeAsync|cudaMemPool|bfloat16|bf16|cudaGraphLaunch|cudaStreamBeginCapture"
)
_OTHER_SHAPE = re.compile(
    r"cudaGraphInstantiate\b|cudaGraphExecUpdate|cudaStreamGetCaptureInfo|cudaMemPrefetchAsync|cudaMemAdvise|cub::|thrust::"
)
_NVIDIA_BODY = re.compile(
    r"\b(?:asm|nvcuda|cute|cutlass|cuTensorMap\w*|CUtensorMap|cudaLaunchKernelEx\w*|cudaLaunchAttribute\w*|cudnn\w*|cusparse\w*|cusolver\w*|cublas\w*)\b"
)


@rule(CODE, triggers=set(VERSIONS))
def cuda_version_guard(unit: Unit) -> Iterator[Finding]:
    yield from _old_toolkits(unit)
    for conditional in unit.pre.conditionals:
        if conditional.closer is None or _names_amd(unit, conditional):
            continue
        branch = conditional.branches[0]
        words = unit.texts[branch.opener.first : branch.opener.last]
        if not any(v in words for v in VERSIONS) or branch.amd is not False or branch.own_amd is not False:
            continue
        if branch.parent is not None and branch.parent.amd is False:
            continue
        name = next(v for v in VERSIONS if v in words)
        if any(w in VERSIONS and words[k + 1 : k + 2] in (["<"], ["<="]) for k, w in enumerate(words)):
            continue  # a fallback for old toolkits
        body = unit.tokens.text[branch.opener.end : branch.end]
        if not _has_code(unit, branch) or _NVIDIA_BODY.search(body) or _GIVES_UP.search(body):
            continue
        others = [unit.tokens.text[b.opener.end : b.end] for b in conditional.branches[1:]]
        works = any(_has_code(unit, b) for b in conditional.branches[1:]) and not any(
            _OTHERS_GIVE_UP.search(o) for o in others
        )
        if works and (not _LOST_FEATURE.search(body) or _OTHER_SHAPE.search(body)):
            continue  # the other way works; worth a word only where a feature that AMD has is lost
        opener = branch.opener
        yield unit.finding(
            CODE,
            opener.token,
            opener.last - 1,
            detail=f"{name} is undefined in ROCm builds, so this code is left out there",
            fix=also_on_amd(unit, branch),
        )


def _old_toolkits(unit: Unit) -> Iterator[Finding]:
    """``#if CUDART_VERSION < 4000``: 0 is less, and what stands there prints the version that AMD does not have."""
    if unit.amd_native or unit.provided("CUDART_VERSION") or unit.provided("CUDA_VERSION"):
        return
    texts = unit.texts
    for conditional in unit.pre.conditionals:
        branch = conditional.branches[0]
        words = texts[branch.opener.first : branch.opener.last]
        if (
            branch.opener.name != "if"
            or len(words) != 3
            or words[0] not in VERSIONS[:2]
            or words[1] not in ("<", "<=")
        ):
            continue
        if (
            _names_amd(unit, conditional)
            or unit.pre.live(branch.opener.start) is False
            or not unit.functions.found
        ):
            continue
        prints = {
            name
            for name, macros in unit.pre.macros.items()
            if any(set(VERSIONS[:2]) & set(texts[m.first : m.directive.last]) for m in macros)
        }
        uses = [
            i
            for i in unit.words(*VERSIONS[:2], *prints)
            if branch.opener.end <= unit.tokens.starts[i] < branch.end and unit.function(i) is not None
        ]
        number = words[2].replace("'", "")
        body = unit.tokens.text[branch.opener.end : branch.end]
        basic = number.isdigit() and int(number) <= _BASIC and _OTHERS_GIVE_UP.search(body)
        if not uses and not basic:
            continue
        start, end = unit.tokens.starts[branch.opener.first], unit.tokens.end(branch.opener.last - 1)
        test = f"({unit.amd_test})" if "||" in unit.amd_test else unit.amd_test
        edit = Edit(start, end, f"{unit.slice(branch.opener.first, branch.opener.last)} && !{test}")
        yield unit.finding(
            CODE,
            branch.opener.token,
            branch.opener.last - 1,
            detail="undefined counts as 0, so AMD compiles this code"
            + (f", in which {words[0]} is undeclared" if uses else ", which gives up"),
            fix=Fix("safe", "not on AMD", (edit,)),
        )


def also_on_amd(unit: Unit, branch: Branch) -> Fix:
    opener = branch.opener
    condition = unit.slice(opener.first, opener.last)
    if opener.name != "if" or "\n" in condition:
        return Fix("display", "test for AMD as well", paste="#if CUDA_VERSION >= 11000 || defined(USE_ROCM)")
    start, end = unit.tokens.starts[opener.first], unit.tokens.end(opener.last - 1)
    if "&&" in condition or "?" in condition:
        condition = f"({condition})"
    return Fix("safe", "compile it for AMD as well", (Edit(start, end, f"{condition} || {unit.amd_test}"),))


def _has_code(unit: Unit, branch: Branch) -> bool:
    """Whether something else than preprocessor lines stands in the branch, or an own header or a feature macro."""
    own = {d.token for n, angle, d in unit.pre.includes if not angle and unit.own_header(n)}
    for i in range(branch.opener.last, len(unit.texts)):
        if unit.tokens.starts[i] >= branch.end:
            return False
        if not unit._in_directive[i]:
            return True
        if unit.texts[i].lstrip(" \t#") == "define" or i in own:
            return True
    return False


def _names_amd(unit: Unit, conditional: Conditional) -> bool:
    branch: Branch | None = conditional.branches[0]
    while branch is not None:
        for other in branch.conditional.branches:
            if any(means_amd(t) or "HIP" in t for t in unit.texts[other.opener.first : other.opener.last]):
                return True
        branch = branch.parent
    return False
