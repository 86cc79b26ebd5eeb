"""Safe fixes: on NVIDIA a program does after the fix what it did before.

Python runs twice in a world that writes down what is asked of it (``support.recording``); CUDA C++ goes through
the preprocessor as nvcc would call it, and the same tokens have to come out. Where a fix means to ask one thing
more, or to write the same in other words, the entry is listed with the reason.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from amdlint.kb import load
from amdlint.lint.engine import fix_text
from amdlint.lint.settings import Settings
from support import recording

OTHER_NOTES = {
    "AMD1002": "rows for AMD cards in a table of device names: no NVIDIA card is called so",
    "AMD1003": "gfx names are left out of a list that holds none on NVIDIA",
    "AMD1006": "torch knows no device type hip: the program did not run on NVIDIA",
    "AMD1007": "asks for AMD's device file where NVIDIA's folder is missing",
    "AMD2003": "imports ROCM_HOME too, which is None on NVIDIA and asked after CUDA_HOME",
    "AMD2007": "undefines HIP macros, which nothing defines on NVIDIA",
    "AMD3005": "tf32 is what Triton takes by itself on NVIDIA",
    "AMD3006": "imports the module that triton.language.extra.cuda hands on",
    "AMD4001": "imports the question whether NCCL is there",
    "AMD6025": "asks onnxruntime for MIGraphX, which NVIDIA builds do not have",
    "AMD7001": "sets Ray's variables for AMD, which change nothing on NVIDIA",
    "AMD7002": "asks a variable for the vendor and takes nvidia.com/gpu without it",
    "AMD7004": "sets AMD's variable, which NVIDIA does not read",
    "AMD8001": "asks for AMD's device file and takes the CUDA index without it",
    "AMD9003": "looks for HIP's event names beside those of CUDA",
}
OTHER_TOKENS = {
    "AMD2203": "names the overload by a cast",
    "AMD2207": "<nccl.h> in place of the quotes: there is no such file beside the source",
    "AMD2209": "calls what the same overload calls",
    "AMD3211": "warpSize is 32 on NVIDIA",
    "AMD3214": "32 is the default of the parameter",
    "AMD3216": "the device answers 32 on NVIDIA",
    "AMD3240": "the same constructor in round brackets",
    "AMD3248": "two values at a time, compared in the same order",
    "AMD3250": "another name of the same type",
    "AMD3255": "the three numbers of the same launch",
    "AMD3259": "CUDA's overload for a mixed pair converts to unsigned as well",
    "AMD6202": "the header that includes the one named",
}


def _safe_fixes(language: str, suffixes: tuple[str, ...]) -> list[object]:
    found = []
    for entry in load():
        for number, example in enumerate(entry.examples):
            path = example.path or {"python": "example.py", "native": "example.cu"}.get(entry.rule or "", "")
            if entry.rule == language and example.bad and example.fix == "safe" and path.endswith(suffixes):
                found.append(
                    pytest.param(entry.code, path, example.bad, id=f"{entry.code}-{entry.slug}-{number}")
                )
    return found


@pytest.mark.parametrize(("code", "path", "bad"), _safe_fixes("python", (".py",)))
def test_python_does_the_same(code: str, path: str, bad: str) -> None:
    after = fix_text(path, bad, Settings(select=(code,)))
    assert after != bad
    assert code in OTHER_NOTES or _same_notes(bad, after)


def _same_notes(one: str, other: str) -> bool:
    return all(recording.notes(one, seed) == recording.notes(other, seed) for seed in range(8))


def test_the_recording_sees_differences() -> None:
    text = "import torch\n\ndef f(x):\n    if x > 1:\n        torch.a()\n    else:\n        torch.b()\n"
    variants = {
        "order": text.replace("torch.a()", "torch.b()"),
        "condition": text.replace("x > 1", "x >= 1"),
        "call": text.replace("torch.b()", "torch.b(1)"),
        "name error": text.replace("torch.a()", "del y; y"),
        "not hip": text.replace("x > 1", "torch.version.hip is not None and x > 1"),
    }
    for name, other in variants.items():
        assert any(recording.notes(text, s) != recording.notes(other, s) for s in range(8)), name
    same = text.replace("x > 1", "torch.version.hip is None and x > 1")
    assert all(recording.notes(text, s) == recording.notes(same, s) for s in range(8))


EXAMPLE = Path(__file__).parent.parent.parent / "docs/examples/cuda-finetune"
NVCC = ("__NVCC__=1", "__CUDACC__=1", "__CUDACC_VER_MAJOR__=12", "CUDART_VERSION=12080", "CUDA_VERSION=12080")


def _tokens(text: str, arch: int | None) -> list[str]:
    """What nvcc's compiler reads: includes stay as they are, in order."""
    kept = re.sub(
        r"(?m)^[ \t]*#[ \t]*(?:include|pragma)[^\n]*", lambda m: "@" + re.sub(r"\s", "", m.group()), text
    )
    names = [*NVCC, *([f"__CUDA_ARCH__={arch}"] if arch else [])]
    command = ["cpp", "-P", "-undef", "-nostdinc", "-w", "-x", "c++", *(f"-D{n}" for n in names), "-"]
    done = subprocess.run(command, input=kept, capture_output=True, text=True, check=False)
    return re.findall(r"\w+|[^\w\s]", done.stdout) + re.findall(r"error:.*", done.stderr)


@pytest.mark.skipif(shutil.which("cpp") is None, reason="needs the C preprocessor cpp")
@pytest.mark.parametrize(("code", "path", "bad"), _safe_fixes("native", (".cu", ".cuh", ".cpp", ".cc", ".h")))
def test_nvcc_reads_the_same(code: str, path: str, bad: str) -> None:
    after = fix_text(path, bad, Settings(select=(code,)))
    assert after != bad
    assert code in OTHER_TOKENS or _same_tokens(bad, after)


def _same_tokens(one: str, other: str) -> bool:
    return all(_tokens(one, arch) == _tokens(other, arch) for arch in (None, 600, 900))


@pytest.mark.parametrize("code", OTHER_NOTES)
def test_every_reason_for_other_notes_is_needed(code: str) -> None:
    only = Settings(select=(code,))
    texts = [
        (x.path or "example.py", x.bad) for x in load().by_code[code].examples if x.bad and x.fix == "safe"
    ]
    assert not all(_same_notes(bad, fix_text(path, bad, only)) for path, bad in texts)


@pytest.mark.skipif(shutil.which("cpp") is None, reason="needs the C preprocessor cpp")
@pytest.mark.parametrize("code", OTHER_TOKENS)
def test_every_reason_for_other_tokens_is_needed(code: str) -> None:
    only = Settings(select=(code,))
    texts = [
        (x.path or "example.cu", x.bad) for x in load().by_code[code].examples if x.bad and x.fix == "safe"
    ]
    assert not all(_same_tokens(bad, fix_text(path, bad, only)) for path, bad in texts)


@pytest.mark.parametrize("file", ["finetune/hardware.py", "finetune/model.py", "finetune/train.py"])
def test_the_example_repository(file: str) -> None:
    """Without the entries that are listed above, whose differences are known."""
    text = (EXAMPLE / file).read_text("utf-8")
    after = fix_text(file, text, Settings(ignore=tuple(OTHER_NOTES)))
    assert after != text
    assert _same_notes(text, after)


@pytest.mark.skipif(shutil.which("cpp") is None, reason="needs the C preprocessor cpp")
def test_the_kernel_of_the_example_repository() -> None:
    text = (EXAMPLE / "csrc/bias_softmax.cu").read_text("utf-8")
    after = fix_text("bias_softmax.cu", text, Settings(ignore=tuple(OTHER_TOKENS)))
    assert after != text
    assert _same_tokens(text, after)
