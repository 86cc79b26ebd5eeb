"""What all tests share."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from amdlint.lint.cli import cli
from click.testing import CliRunner, Result

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(Path(__file__).parent))  # so that tests find `support`


class Amdlint:
    """Runs the command line in this process; ``result.stdout``, ``result.stderr`` and ``result.exit_code``."""

    def __call__(self, *arguments: object, stdin: str | bytes | None = None) -> Result:
        return CliRunner().invoke(cli, [str(a) for a in arguments], input=stdin, prog_name="amdlint")


@pytest.fixture
def amdlint(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Amdlint:
    """The command line, run in an empty folder."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return Amdlint()
