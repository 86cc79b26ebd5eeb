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
        works = bool(others) and not any(_GIVES_UP.search(o) for o in others)
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
    """Whether something else than preprocessor lines stands in the branch, or an include or a feature macro."""
    for i in range(branch.opener.last, len(unit.texts)):
        if unit.tokens.starts[i] >= branch.end:
            return False
        if not unit._in_directive[i]:
            return True
        if unit.texts[i].lstrip(" \t#") == "define":
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
