"""Project files are recognised by their names."""

import pytest
from amdlint.lint.project.kinds import kind_of


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("requirements.txt", "requirements"),
        ("requirements-dev.txt", "requirements"),
        ("dev-requirements.txt", "requirements"),
        ("requirements.lock.txt", "requirements"),
        ("requirements/train.txt", "requirements"),
        ("constraints.txt", "requirements"),
        ("requirements.in", "requirements"),
        ("pyproject.toml", "toml"),
        ("Pipfile", "toml"),
        ("setup.cfg", "ini"),
        ("environment.yml", "conda"),
        ("conda_env.yaml", "conda"),
        ("Dockerfile", "dockerfile"),
        ("docker/Dockerfile.train", "dockerfile"),
        ("train.Dockerfile", "dockerfile"),
        ("Containerfile", "dockerfile"),
        ("docker-compose.gpu.yml", "yaml"),
        ("k8s/job.yaml", "yaml"),
        (".devcontainer/devcontainer.json", "json"),
        ("configs/ds_zero3.json", "json"),
        ("run.sh", "shell"),
        ("slurm/pretrain.sbatch", "shell"),
        ("Makefile", "make"),
        ("Makefile.cuda", "make"),
        ("rules.mk", "make"),
        ("CMakeLists.txt", "cmake"),
        ("cmake/FindFoo.cmake", "cmake"),
    ],
)
def test_known_names(path: str, kind: str) -> None:
    assert kind_of(path) == kind


@pytest.mark.parametrize(
    "path",
    ["README.md", "notes.txt", "train.py", "kernel.cu", "package-lock.json", "tokenizer.json", "data.csv",
     "Dockerfile.md", "build_dockerfile.py", "docker/notes.txt", "poetry.lock"],
)  # fmt: skip
def test_other_names(path: str) -> None:
    assert kind_of(path) is None
