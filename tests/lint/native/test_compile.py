"""Every rewritten example compiles for AMD GPUs, and NVIDIA's preprocessor sees what it saw before."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from amdlint import kb
from support.hipify import hipified
from support.nvcc import NVCC, preprocessed, refused
from support.rocm import TARGETS, Toolchain, toolchain

STUBS = Path(__file__).parents[2] / "support" / "hip_stubs"

# Rewrites whose result the AMD headers at hand cannot compile: by code, or by the name of one example.
_NOT_FOR_CLANG = {
    "AMD2202": "torch's c10 headers",
    "AMD2206-cuda-names-3": "hipRAND's headers",
    "AMD3221": "rocWMMA's headers",
    "AMD3228": "HIP's fp16 header; that of HIP 5.2.3 is used here and lacks __hmax",
    "AMD3233": "cooperative groups of HIP 7; those of HIP 5.2.3 are used here and lack binary_partition",
}
# Targets that lack the hardware which a problem is about.
_NOT_FOR_TARGET = {"AMD3257": {"gfx942"}}  # no image instructions
# Texts that NVIDIA's toolkit alone cannot compile.
_NOT_FOR_NVCC = {
    r"#\s*include\s*[<\"](?:ATen|torch|c10)/": "torch's headers",
    r"#\s*include\s*[<\"](?:cublas|cusolver|cufft|curand|cudnn|nccl|npp|nvjpeg|nvml|nvtx|cutlass|cute)": "headers of a library",
    r"#\s*include\s*[<\"]thrust/system/cuda/experimental/": "a header that the toolkit has dropped",
    r"(?s)\A(?!.*#\s*if).*\b(?:__shfl(?:_up|_down|_xor)?|__builtin_trap)\(": "functions that only HIP has",
}
# Code that nvcc itself builds: no hipify comes before AMD's compiler.
_NOT_HIPIFIED = {"AMD2206"}
# Problems that show at run time, in another build or after hipify only: the code compiles before the rewrite too.
_COMPILES_BEFORE = {
    *("AMD1200", "AMD2206-cuda-names-1"),
    *("AMD2200", "AMD2201", "AMD2204", "AMD2212", "AMD2209", "AMD3203", "AMD3205", "AMD3206", "AMD3207", "AMD3208", "AMD3209", "AMD3210"),
    *("AMD3211", "AMD3212", "AMD3214", "AMD3216", "AMD3217", "AMD3224",
        "AMD3230", "AMD3240", "AMD3241", "AMD3248", "AMD3251", "AMD5201"),
    *("AMD6202", "AMD6204"),
}  # fmt: skip
# Rewrites that give NVIDIA other text with the same meaning (an index by warpSize, a nested std::max ...).
_OTHER_TEXT = {
    "AMD2203",
    "AMD2207",
    "AMD2209",
    "AMD3211",
    "AMD3214",
    "AMD3216",
    "AMD3240",
    "AMD3241",
    "AMD3248",
    "AMD3250",
    "AMD3255",
    "AMD3259",
    "AMD6202",
}


def _examples() -> list[tuple[str, str, str, str]]:
    found = []
    for entry in kb.load(cache=False):
        if entry.rule != "native":
            continue
        for number, example in enumerate(entry.examples):
            if (
                example.bad
                and example.fixed
                and not (example.path or "").endswith(".py")
                and "ATen/" not in example.fixed
            ):
                found.append((f"{entry.code}-{entry.slug}-{number}", entry.code, example.bad, example.fixed))
    return found


EXAMPLES = _examples()


def _texts_for_nvcc() -> dict[str, str]:
    """Every piece of CUDA C++ in the examples that NVIDIA's toolkit can compile on its own."""
    found = {}
    for entry in kb.load(cache=False):
        for number, example in enumerate(entry.examples if entry.rule == "native" else ()):
            for kind in ("bad", "fixed", "ok"):
                text = getattr(example, kind)
                if (
                    not text
                    or (example.path or "").endswith(".py")
                    or any(re.search(p, text) for p in _NOT_FOR_NVCC)
                ):
                    continue
                found[f"{entry.code}-{entry.slug}-{number}-{kind}"] = text
    return found


@pytest.fixture(scope="module")
def clang() -> Toolchain:
    found = toolchain()
    if isinstance(found, str):
        pytest.skip(found)
    return found


def _compile(clang: Toolchain, folder: Path, text: str, target: str, *, object_code: bool) -> str:
    source = folder / "example.hip"
    source.write_text(text)
    return clang.compile(source, target, "-isystem", str(STUBS), "-DUSE_ROCM=1", object_code=object_code)


@pytest.mark.compiler
@pytest.mark.parametrize(
    ("name", "code", "bad", "fixed"),
    [e for e in EXAMPLES if not {e[0], e[1]} & _NOT_FOR_CLANG.keys()],
    ids=lambda v: v if v.startswith("AMD") and "-" in v else "",
)
def test_fixed_example_compiles_for_amd(
    clang: Toolchain, tmp_path: Path, name: str, code: str, bad: str, fixed: str
) -> None:
    prepare = str if code in _NOT_HIPIFIED else hipified
    targets = [t for t in TARGETS if t not in _NOT_FOR_TARGET.get(code, ())]
    errors = {t: _compile(clang, tmp_path, prepare(fixed), t, object_code=t == TARGETS[0]) for t in targets}
    assert {t: e for t, e in errors.items() if e} == {}
    if not {code, name} & _COMPILES_BEFORE:
        assert _compile(clang, tmp_path, prepare(bad), TARGETS[0], object_code=True) != "", (
            "the problem is no compile error"
        )


@pytest.mark.compiler
@pytest.mark.skipif(NVCC is None, reason="nvcc is not installed")
def test_nvidia_sees_the_same_text(tmp_path: Path) -> None:
    pairs = {name: (bad, fixed) for name, code, bad, fixed in EXAMPLES if code not in _OTHER_TEXT}
    before = preprocessed(tmp_path, {name: bad for name, (bad, _) in pairs.items()})
    after = preprocessed(tmp_path, {name: fixed for name, (_, fixed) in pairs.items()})
    assert len(before) > 70
    assert [name for name in pairs if before[name] != after[name]] == []


@pytest.mark.compiler
@pytest.mark.skipif(NVCC is None, reason="nvcc is not installed")
def test_examples_compile_for_nvidia(tmp_path: Path) -> None:
    """All of them, before and after the rewrite."""
    texts = _texts_for_nvcc()
    assert len(texts) > 200
    assert refused(tmp_path, texts) == {}
