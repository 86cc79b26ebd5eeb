"""What the lane rules say, run: kernels that go wrong on AMD before amdlint's rewrite, and are right after it.

The programs in tests/kernels check their own numbers. The emulator (tests/support/wave_machine) runs each as an
NVIDIA GPU, as gfx1100 (waves of 32 lanes) and as gfx942 (waves of 64).
"""

from __future__ import annotations

from pathlib import Path

import pytest
from amdlint import kb
from support.kernels import FOLDER, Kernel, kernels
from support.nvcc import NVCC, preprocessed, refused
from support.rocm import Toolchain, toolchain
from support.wave_machine import CDNA, NVIDIA, RDNA, Machine

STUBS = Path(__file__).parents[2] / "support" / "hip_stubs"
LANES = list(kernels("lanes"))
CORPUS = list(kernels("corpus"))
GPUS = (NVIDIA, RDNA, CDNA)
# Rewrites that give NVIDIA other text with the same meaning (an index by warpSize, a stated width).
_OTHER_TEXT = {"AMD3211", "AMD3214", "AMD3216"}
# Programs that the AMD headers at hand cannot compile; the emulator runs them.
_NOT_FOR_CLANG = {
    "cg_labeled_partition": "binary_partition, which HIP 5.2.3's cooperative groups lack",
    "tile_ballot": "votes of a tile, which HIP 5.2.3's cooperative groups lack",
}


def test_every_lane_rule_has_a_kernel() -> None:
    rules = {e.code for e in kb.load(cache=False) if e.rule == "native" and "AMD3200" <= e.code <= "AMD3219"}
    proven = {c for k in LANES for c in k.codes if k.before}
    assert rules | {"AMD3232", "AMD3233", "AMD6204"} <= proven


@pytest.mark.compiler
@pytest.mark.parametrize("kernel", LANES + CORPUS, ids=lambda k: k.name)
def test_wrong_before_and_right_after(machine: Machine, kernel: Kernel) -> None:
    before, after = kernel.text, kernel.after()
    assert set(kernel.codes) <= set(kernel.found(before))
    if not kernel.codes:
        assert not [c for c in kernel.found(before) if c.startswith("AMD32")]
    assert not set(kernel.codes) & set(kernel.found(after))
    expected = {"nvidia": "right", **{g.name: kernel.before.get(g.name, "right") for g in (RDNA, CDNA)}}
    ends = {g.name: machine.run(before, g, FOLDER) for g in GPUS}
    assert {name: end.word for name, end in ends.items()} == expected, ends
    ends = {g.name: machine.run(after, g, FOLDER) for g in GPUS}
    assert {name: end.word for name, end in ends.items()} == dict.fromkeys(expected, "right"), ends


@pytest.mark.compiler
@pytest.mark.parametrize(
    "kernel", [k for k in LANES + CORPUS if k.name not in _NOT_FOR_CLANG], ids=lambda k: k.name
)
def test_kernel_compiles_for_amd(tmp_path: Path, kernel: Kernel) -> None:
    clang = toolchain()
    if not isinstance(clang, Toolchain):
        pytest.skip(clang)
    from support.hipify import hipified

    source = tmp_path / "kernel.hip"
    source.write_text(hipified(kernel.after()))
    flags = ("-isystem", str(STUBS), f"-I{FOLDER}", "-DUSE_ROCM=1")
    targets = ("gfx90a", "gfx942", "gfx1100", "gfx1201") if kernel in CORPUS else ("gfx942",)
    for target in targets:
        assert clang.compile(source, target, *flags, object_code=target == "gfx90a") == ""


@pytest.mark.compiler
@pytest.mark.skipif(NVCC is None, reason="nvcc is not installed")
def test_nvidia_sees_the_same_kernels(tmp_path: Path) -> None:
    same = {k.name: k for k in LANES + CORPUS if not _OTHER_TEXT & set(k.codes)}
    before = preprocessed(tmp_path, {name: k.text for name, k in same.items()})
    after = preprocessed(tmp_path, {name: k.fixed() for name, k in same.items()})
    assert [name for name in same if before[name] != after[name]] == []


@pytest.mark.compiler
@pytest.mark.skipif(NVCC is None, reason="nvcc is not installed")
def test_kernels_compile_for_nvidia(tmp_path: Path) -> None:
    kernels = {k.name: k for k in LANES + CORPUS}
    assert refused(tmp_path, {name: k.text for name, k in kernels.items()}, f"-I{FOLDER}") == {}
    assert refused(tmp_path, {name: k.after() for name, k in kernels.items()}, f"-I{FOLDER}") == {}
