"""Every rewritten example compiles for AMD GPUs, and NVIDIA's preprocessor sees what it saw before."""

from __future__ import annotations

from pathlib import Path

import pytest
from amdlint import kb
from support.hipify import hipified
from support.nvcc import NVCC, preprocessed
from support.rocm import TARGETS, Toolchain, toolchain

STUBS = Path(__file__).parents[2] / "support" / "hip_stubs"

# Rewrites whose result cannot be compiled with the headers at hand.
_NEEDS_MORE = {
    "AMD1200",
    "AMD3228",
    "AMD2202",
    "AMD2206",
    "AMD2213",
    "AMD3221",
    "AMD3233",
    "AMD3257",
    "AMD6212",
}  # torch, rocWMMA, Python; HIP 6 headers
# Problems that show at run time, in another build or after hipify only: the code compiles before the rewrite too.
_COMPILES_BEFORE = {
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


@pytest.fixture(scope="module")
def clang() -> Toolchain:
    found = toolchain()
    if isinstance(found, str):
        pytest.skip(found)
    return found


def _compile(clang: Toolchain, folder: Path, text: str, target: str, *, object_code: bool) -> str:
    source = folder / "example.hip"
    source.write_text(hipified(text))
    return clang.compile(source, target, "-isystem", str(STUBS), "-DUSE_ROCM=1", object_code=object_code)


@pytest.mark.compiler
@pytest.mark.parametrize(
    ("name", "code", "bad", "fixed"),
    [e for e in EXAMPLES if e[1] not in _NEEDS_MORE],
    ids=lambda v: v if v.startswith("AMD") and "-" in v else "",
)
def test_fixed_example_compiles_for_amd(
    clang: Toolchain, tmp_path: Path, name: str, code: str, bad: str, fixed: str
) -> None:
    errors = {t: _compile(clang, tmp_path, fixed, t, object_code=t == TARGETS[0]) for t in TARGETS}
    assert {t: e for t, e in errors.items() if e} == {}
    if code not in _COMPILES_BEFORE:
        assert _compile(clang, tmp_path, bad, TARGETS[0], object_code=True) != "", (
            "the problem is no compile error"
        )


@pytest.mark.compiler
@pytest.mark.skipif(NVCC is None, reason="nvcc is not installed")
@pytest.mark.parametrize(
    ("name", "bad", "fixed"),
    [(n, b, f) for n, c, b, f in EXAMPLES if c not in _OTHER_TEXT],
    ids=lambda v: v if v.startswith("AMD") and "-" in v else "",
)
def test_nvidia_sees_the_same_text(tmp_path: Path, name: str, bad: str, fixed: str) -> None:
    assert preprocessed(tmp_path, fixed) == preprocessed(tmp_path, bad)
