"""The hooks, run by the real pre-commit on a repository made here."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from test_packaging import tracked_copy

BAD = "import torch\n\nif torch.cuda.get_device_capability()[0] >= 9:\n    import hopper_kernels\n"


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pre-commit") is None, reason="pre-commit is not installed")
def test_try_repo(tmp_path: Path) -> None:
    hooks = tracked_copy(tmp_path / "amdlint")
    git(hooks, "init", "-q")
    git(hooks, "add", "-A")
    git(hooks, "commit", "-qm", "amdlint")
    user = tmp_path / "user"
    user.mkdir()
    git(user, "init", "-q")
    (user / "train.py").write_text(BAD)
    (user / "fine.py").write_text("import torch\nx = torch.ones(1).cuda()\n")
    git(user, "add", "-A")
    environment = {**os.environ, "PRE_COMMIT_HOME": str(tmp_path / "cache")}

    def hook(name: str) -> subprocess.CompletedProcess[str]:
        command = ["pre-commit", "try-repo", str(hooks), name, "--all-files", "--verbose"]
        return subprocess.run(command, cwd=user, env=environment, capture_output=True, text=True, check=False)

    reported = hook("amdlint")
    assert reported.returncode == 1, reported.stdout + reported.stderr
    assert "train.py:3:4 AMD1001" in reported.stdout
    assert "fine.py" not in reported.stdout
    assert (user / "train.py").read_text() == BAD

    fixed = hook("amdlint-fix")
    assert fixed.returncode == 1, "pre-commit fails a hook that changes files"
    assert "files were modified by this hook" in fixed.stdout
    assert "torch.version.hip is None and" in (user / "train.py").read_text()

    git(user, "add", "-A")
    assert hook("amdlint").returncode == 0
