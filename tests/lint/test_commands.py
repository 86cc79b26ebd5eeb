"""Fixes may name only what the facts know."""

from __future__ import annotations

import pytest
from amdlint.kb import facts
from amdlint.kb.model import Applies, Entry, Fix, Source, Step
from amdlint.lint import commands

ANY = Applies()


def problems(*steps: Step, applies: Applies = ANY, verify: str | None = None) -> list[str]:
    """What is wrong with an entry that has one fix of these steps."""
    entry = Entry(
        code="AMD9999",
        title="x",
        severity="error",
        cause="x",
        sources=(Source("https://github.com/cited/project/issues/1", "x", "x"),),
        fixes=(Fix("x", steps, applies=applies, verify=verify),),
    )
    return [f"{field}: {message}" for field, message in commands.unknown_names(entry)]


KNOWN = [
    "rocminfo | grep -m1 -o 'gfx[0-9a-f]*'",
    "sudo dmesg | grep -iE 'amdgpu|kfd' | tail -20; lsmod | grep amdgpu",
    "pip install --force-reinstall torch torchvision --index-url https://download.pytorch.org/whl/rocm7.2",
    "pip install --upgrade torch --index-url {wheel_index}",
    'pip install --index-url https://repo.amd.com/rocm/whl-multi-arch/ "torch[device-{gfx}]" torchaudio',
    "python -m bitsandbytes && python -m venv .venv",
    "env -u LD_LIBRARY_PATH -u ROCM_PATH python train.py",
    "HSA_OVERRIDE_GFX_VERSION=10.3.0 python -c 'import torch'",
    "unset HSA_OVERRIDE_GFX_VERSION HIP_VISIBLE_DEVICES",
    "docker run --runtime=amd -e AMD_VISIBLE_DEVICES=all rocm/pytorch:latest rocminfo",
    "docker exec CONTAINER sh -c 'id; rocminfo | grep gfx'",
    "git clone https://github.com/cited/project && cd project && pip install .",
    "git clone https://github.com/ROCm/apex",
    "amd-smi metric --ecc; amd-smi static --vbios",
    "rocprofv3 --stats --kernel-trace -- python --anything train.py",
    "/opt/rocm/bin/hipcc -O3 --offload-arch={gfx} t.hip",
    "./build/all_reduce_perf -b 8; ~/bin/mine --x",
    '"C:\\Program Files\\AMD\\ROCm\\6.4\\bin\\hipInfo.exe"',
    "set HIP_PATH=",
    "wsl.exe --update",
    'sudo apt install "linux-headers-$(uname -r)" libstdc++-12-dev',
    "pip install -c torch-rocm.txt -r requirements.txt",
    'rm -rf "${TORCH_EXTENSIONS_DIR:-$HOME/.cache/torch_extensions}"',
    "UV_TORCH_BACKEND=auto uv pip install torch --torch-backend=auto",
]


@pytest.mark.parametrize("command", KNOWN)
def test_known_names_are_silent(command: str) -> None:
    assert problems(Step(run=command)) == []
    assert problems(Step(do="x"), verify=command) == []


UNKNOWN = [
    ("rocm-doctor --fix", "the facts know no tool 'rocm-doctor'"),
    ("rocminfo | rocm-filter gfx", "the facts know no tool 'rocm-filter'"),
    ("echo $(rocm-version)", "the facts know no tool 'rocm-version'"),
    ("sudo rocm-doctor", "the facts know no tool 'rocm-doctor'"),
    ("env -u LD_LIBRARY_PATH rocm-doctor", "the facts know no tool 'rocm-doctor'"),
    ("/opt/rocm/bin/rocm-doctor", "the facts know no tool 'rocm-doctor'"),
    ("bash -c 'rocm-doctor'", "the facts know no tool 'rocm-doctor'"),
    ('"C:\\Program Files\\AMD\\bin\\hipDoctor.exe"', "the facts know no tool 'hipDoctor.exe'"),
    ("amd-smi repair", "the facts know no sub-command 'repair' of amd-smi"),
    ("amd-smi list --repair", "the facts know no option '--repair' of amd-smi"),
    ("cmake -B build -DUSE_MAGIC=ON", "the facts know no cmake definition 'USE_MAGIC'"),
    ("pip install torch-magic", "the facts know no Python package 'torch-magic'"),
    ("pip uninstall -y torch-magic", "the facts know no Python package 'torch-magic'"),
    ("python -m torchmagic", "the facts know no Python package 'torchmagic'"),
    (
        'pip install "bitsandbytes>=99"',
        "bitsandbytes>=99 is newer than 0.50.2, the newest that the facts know",
    ),
    ("pip install torch", "without --index-url pip takes torch from PyPI, which has another build"),
    ('pip install "rocm[devel]"', "without --index-url pip takes rocm from PyPI, which has another build"),
    ("sudo apt install rocm-magic", "the facts know no apt package 'rocm-magic'"),
    ("docker pull rocm/magic:latest", "the facts know no image 'rocm/magic'"),
    ("docker pull rocm/pytorch:magic", "the facts know no tag 'magic' of the image rocm/pytorch"),
    (
        "pip install torch --index-url https://download.pytorch.org/whl/rocm9.9",
        "the facts know no package index or download 'https://download.pytorch.org/whl/rocm9.9'",
    ),
    (
        "git clone https://github.com/somebody/else",
        "neither the facts nor the entry's sources name the repository 'somebody/else'",
    ),
    ("export HSA_MAGIC=1", "the facts know no variable 'HSA_MAGIC'"),
    ("HSA_MAGIC=1 python train.py", "the facts know no variable 'HSA_MAGIC'"),
    ("unset HSA_MAGIC", "the facts know no variable 'HSA_MAGIC'"),
    ("env -u HSA_MAGIC python train.py", "the facts know no variable 'HSA_MAGIC'"),
    ("docker run -e HSA_MAGIC=1 IMAGE", "the facts know no variable 'HSA_MAGIC'"),
    ("ls $HSA_MAGIC/lib", "the facts know no variable 'HSA_MAGIC'"),
    (
        "HSA_OVERRIDE_GFX_VERSION=10.3.7 python train.py",
        "HSA_OVERRIDE_GFX_VERSION=10.3.7 means gfx1037, which the facts do not know",
    ),
    (
        "HSA_OVERRIDE_GFX_VERSION=gfx1030 python train.py",
        "HSA_OVERRIDE_GFX_VERSION=gfx1030 is no major.minor.stepping",
    ),
]


@pytest.mark.parametrize(("command", "problem"), UNKNOWN)
def test_unknown_names_are_reported(command: str, problem: str) -> None:
    assert problems(Step(run=command)) == [f"fixes[0].steps[0].run: {problem}"]
    assert problems(Step(do="x"), verify=command) == [f"fixes[0].verify: {problem}"]


def test_environment_steps() -> None:
    good = "ROCM_HOME=$(rocm-sdk path --root)\nPYTORCH_ROCM_ARCH=gfx90a:xnack+;gfx90a:xnack-\nPATH=/opt/rocm/bin:$PATH"
    assert problems(Step(env=good)) == []
    assert problems(Step(env="HSA_MAGIC=1\nROCM_HOME=$(rocm-magic)")) == [
        "fixes[0].steps[0].env: the facts know no variable 'HSA_MAGIC'",
        "fixes[0].steps[0].env: the facts know no tool 'rocm-magic'",
    ]


def test_configuration_steps() -> None:
    assert problems(Step(config='GRUB_CMDLINE_LINUX_DEFAULT="quiet iommu=pt amdgpu.cwsr_enable=0"')) == []
    assert problems(Step(config="options amdgpu cwsr_enable=0")) == []
    assert problems(Step(config="amdgpu.magic=1")) == [
        "fixes[0].steps[0].config: the facts know no kernel setting 'amdgpu.magic'"
    ]
    assert problems(Step(config="options amdgpu magic=1")) == [
        "fixes[0].steps[0].config: the facts know no kernel setting 'amdgpu.magic'"
    ]
    two = "ARG GPU_VENDOR=nvidia\nFROM nvidia/cuda:12.4.1-devel AS base-nvidia\nFROM rocm/magic AS base-amd\nFROM base-${GPU_VENDOR}"
    assert problems(Step(config=two)) == ["fixes[0].steps[0].config: the facts know no image 'rocm/magic'"]


def test_sentences_and_code_are_read_for_variables() -> None:
    assert problems(Step(do="In docker pass -e NCCL_DEBUG=INFO; then x=3, MAX=2.")) == []
    assert problems(Step(do="Set NCCL_MAGIC=1 on all ranks.")) == [
        "fixes[0].steps[0].do: the facts know no variable 'NCCL_MAGIC'"
    ]
    assert problems(Step(code='os.environ["NCCL_MAGIC"] = os.environ.get("MY_OWN", "1")')) == [
        "fixes[0].steps[0].code: the facts know no variable 'NCCL_MAGIC'"
    ]


def test_packages_renamed_in_a_release() -> None:
    old = Step(run="sudo apt install rocm-hip-sdk")
    assert problems(old) == [
        "fixes[0].steps[0].run: the apt package 'rocm-hip-sdk' is gone from ROCm 7.14 on: "
        "name its successor in the fix, or give the fix a range"
    ]
    assert problems(old, applies=Applies(rocm="<7.14")) == []
    assert problems(old, Step(do="From ROCm 7.14 on: sudo apt install amdrocm-core-sdk")) == []


def test_the_entry_s_own_variables_count_within_one_fix() -> None:
    assert problems(Step(run="export ROCM_HOME=/x; ls $ROCM_HOME")) == []


def test_tools_are_found_in_any_case_and_with_a_suffix() -> None:
    tool = facts.tool("HIPINFO.EXE")
    assert tool is not None
    assert tool.name == "hipInfo"
    assert facts.tool("rocm-magic") is None


def test_names_of_tools_are_unique() -> None:
    names = [n for t in facts.tool_facts().tools for n in (t.name, *t.aliases)]
    assert sorted(names) == sorted(set(names))
    assert not set(names) & set(facts.tool_facts().standard.tools)


def test_every_old_package_says_since_when_it_is_gone() -> None:
    old = [p for p in facts.tool_facts().system_packages if "rocm-hip-sdk" in p.names]
    assert old
    assert all(p.until == "7.14" for p in old)
