"""Fixes of project files: what the examples of the entries cannot show."""

from __future__ import annotations

import subprocess

import pytest
from amdlint.lint.engine import check_text, fix_text


def test_line_ends_are_kept() -> None:
    text = "#!/bin/bash\r\ndocker run --gpus all img\r\n"
    fixed = fix_text("run.sh", text)
    assert "$gpu_flags" in fixed
    assert "\n" not in fixed.replace("\r\n", "")


def test_indentation_and_tabs() -> None:
    text = "#!/bin/bash\nmain() {\n\tmodule load cuda/12\n}\n"
    assert fix_text("run.sh", text) == (
        "#!/bin/bash\nmain() {\n\tif [ -e /dev/kfd ] && ! command -v nvidia-smi >/dev/null 2>&1; then\n\t\tmodule load rocm\n"
        "\telse\n\t\tmodule load cuda/12\n\tfi\n}\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "set -e; docker run --gpus all img\n",
        "docker run --gpus all img | tee log\n",
        "docker run --gpus '\"device=0\"' img\n",
        'docker run --gpus "$G" img\n',
        "IFS=$'\\n'\ndocker run --gpus all img\n",
        "x && docker run --gpus all img\n",
    ],
)
def test_no_rewrite_where_the_place_is_unclear(text: str) -> None:
    (finding,) = check_text("run.sh", text)
    assert finding.fix is not None
    assert finding.fix.applicability == "display"
    assert fix_text("run.sh", text) == text


def test_module_fix_leaves_the_rest_of_the_script_reported() -> None:
    text = "#!/bin/bash\nmodule load cuda/12\nN=$(nvidia-smi -L | wc -l)\n"
    fixed = fix_text("run.sh", text)
    assert "module load rocm" in fixed
    assert [f.code for f in check_text("run.sh", fixed)] == ["AMD7110"]


@pytest.mark.parametrize(("gpu", "expected"), [("nvidia", "--gpus all"), ("none", "--gpus all")])
def test_old_machines_run_the_old_command(tmp_path, gpu: str, expected: str) -> None:  # type: ignore[no-untyped-def]
    """Run the rewritten script with a fake docker: without /dev/kfd the words are those of before."""
    (tmp_path / "docker").write_text('#!/bin/sh\necho "$@"\n')
    (tmp_path / "docker").chmod(0o755)
    if gpu == "nvidia":
        (tmp_path / "nvidia-smi").write_text("#!/bin/sh\n")
        (tmp_path / "nvidia-smi").chmod(0o755)
    script = fix_text("run.sh", "#!/bin/sh\nset -eu\ndocker run --rm \\\n  --gpus all \\\n  img\n")
    done = subprocess.run(
        ["/bin/sh", "-c", script],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"run --rm {expected} img\n"


def test_dockerfile_keeps_its_syntax_line_and_stage_name() -> None:
    text = "# syntax=docker/dockerfile:1\nFROM nvidia/cuda:12.4.1-base-ubuntu22.04 AS build\nRUN true\n"
    assert fix_text("Dockerfile", text) == (
        "# syntax=docker/dockerfile:1\nARG NVIDIA_IMAGE=nvidia/cuda:12.4.1-base-ubuntu22.04\nARG GPU_VENDOR=nvidia\n"
        "FROM ${NVIDIA_IMAGE} AS base-nvidia\nFROM rocm/pytorch:latest AS base-amd\nFROM base-${GPU_VENDOR} AS build\nRUN true\n"
    )


@pytest.mark.parametrize(
    ("step", "level"),
    [("RUN pip install -r requirements.txt", "safe"), ("RUN apt-get install -y cuda-toolkit-12-4", "unsafe"),
     ("RUN pip install torch", "unsafe")],
)  # fmt: skip
def test_base_image_fix_is_safe_only_where_later_steps_work(step: str, level: str) -> None:
    found = check_text("Dockerfile", f"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\n{step}\n")
    fix = next(f.fix for f in found if f.code == "AMD7100")
    assert fix is not None
    assert fix.applicability == level


def test_unknown_torch_has_no_index_to_offer() -> None:
    text = "--extra-index-url https://download.pytorch.org/whl/cu102\ntorch==1.6.0\n"
    (finding,) = check_text("requirements.txt", text)
    assert finding.fix is None


def test_toml_lists_stay_valid() -> None:
    import sys

    if sys.version_info < (3, 11):
        import tomli as tomllib
    else:
        import tomllib
    for deps in (
        '["a", "flashinfer-python", "b"]',
        '["flashinfer-python"]',
        '["a", "flashinfer-python"]',
        '[\n  "a",\n  "flashinfer-python>=1",  # c\n]',
    ):
        text = f'[project]\nname = "x"\nversion = "1"\ndependencies = {deps}\n'
        fixed = fix_text("pyproject.toml", text, unsafe=True)
        parsed = tomllib.loads(fixed)["project"]["dependencies"]
        assert [d for d in parsed if "flashinfer" in d] == [] or fixed == text
