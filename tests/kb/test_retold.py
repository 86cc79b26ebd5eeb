"""What seems to speak of a failure or of AMD, and does not; what was cut off a line, and still counts."""

from __future__ import annotations

import pytest
from amdlint import kb
from amdlint.kb import clean, evidence, failure, match

BASE = kb.load()


@pytest.mark.parametrize(
    "line",
    [
        "[ROCm] Fix hipErrorInvalidDeviceFunction in multi tensor apply (#12345)",
        "    fix: HIP error: invalid device function on gfx1151",
        '- Fixed an issue in which "Memory access fault by GPU node" was reported',
        "1a2b3c4 Revert hipErrorNoBinaryForGpu check",
        "cudaErrorInvalidDeviceFunction -> hipErrorInvalidDeviceFunction",
        "If you see `HIP error: invalid device function`, set HSA_OVERRIDE_GFX_VERSION.",
        ":3:hip_event.cpp :386 : 41 us: [pid:7 tid:0x7f] hipEventQuery: Returned hipErrorNotReady :",
        ":3:hip_memory.cpp :2811 : 41 us: [pid:7 tid:0x7f] hipPointerGetAttributes: Returned hipErrorInvalidValue :",
    ],
)
def test_told_by_others(line: str) -> None:
    assert failure.is_retold(line)
    assert match.explain(line, BASE).matches == ()


@pytest.mark.parametrize(
    "line",
    [
        "RuntimeError: HIP error: invalid device function",
        "Fixing ranks failed: HIP error: invalid device function",
        "INFO Resolved architecture: LlamaForCausalLM",
        "Prefix cache: hipErrorIllegalAddress",
        ":3:hip_module.cpp :669 : 41 us: [pid:7 tid:0x7f] hipLaunchKernel: Returned hipErrorInvalidDeviceFunction :",
    ],
)
def test_told_by_the_run_itself(line: str) -> None:
    assert not failure.is_retold(line)


def test_asking_for_amdsmi_proves_nothing() -> None:
    text = "  File vllm/platforms/__init__.py, line 84, in rocm_platform_plugin\n    import amdsmi\nNo module named 'amdsmi'"
    assert not evidence.of_text(text).amd


def test_cut_off_prefix_still_tells_who_ran() -> None:
    log = "(RayWorkerWrapper pid=991) RuntimeError: HIP error: invalid device ordinal\n"
    paste = clean.clean(log)
    assert paste.lines[0].text == "RuntimeError: HIP error: invalid device ordinal"
    assert "RayWorkerWrapper" in paste.peeled
    assert match.explain(paste, BASE).matches[0].entry.slug == "ray-worker-invalid-device-ordinal"


def test_other_missing_package_is_not_hip() -> None:
    said = 'Could not find a package configuration file provided by "{}" with any of the following names:\nROCm 6.4\n'
    assert match.explain(said.format("hip"), BASE).matches[0].entry.slug == "hip-config-cmake-not-found"
    assert match.explain(said.format("GTest"), BASE).matches == ()
