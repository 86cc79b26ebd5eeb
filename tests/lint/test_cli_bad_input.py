"""Bad input: a clear message that names what and why, exit code 2, nothing written, the rest goes on."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

GATE = "import torch\n\nif torch.cuda.get_device_capability() >= (9, 0):\n    import hopper_kernels\n"


def test_missing_path(amdlint) -> None:
    result = amdlint("nope.py")
    assert result.exit_code == 2
    assert "nope.py: no such file or directory" in result.stderr


def test_no_path(amdlint) -> None:
    result = amdlint("--fix")
    assert result.exit_code == 2
    assert "no path given" in result.stderr


def test_syntax_error_is_reported_and_the_rest_goes_on(amdlint, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("get_device_capability(\n")
    (tmp_path / "good.py").write_text(GATE)
    result = amdlint("--output-format", "json", ".")
    assert result.exit_code == 2
    assert "bad.py: cannot be parsed as Python" in result.stderr
    assert {Path(f["filename"]).name for f in json.loads(result.stdout)} == {"good.py"}


def test_python_2_is_reported_and_left_alone(amdlint, tmp_path: Path) -> None:
    text = b"print torch.cuda.get_device_capability() >= (9, 0)\n"
    (tmp_path / "old.py").write_bytes(text)
    result = amdlint("--fix", "old.py")
    assert result.exit_code == 2
    assert "old.py: cannot be parsed as Python" in result.stderr
    assert (tmp_path / "old.py").read_bytes() == text


def test_empty_file(amdlint, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"")
    result = amdlint("a.py")
    assert (result.exit_code, result.stderr) == (0, "")


def test_binary_file(amdlint, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"\x00\x01get_device_capability")
    result = amdlint("a.py")
    assert result.exit_code == 2
    assert "a.py: binary file" in result.stderr


def test_huge_file_is_skipped_and_said_so(amdlint, tmp_path: Path) -> None:
    with open(tmp_path / "huge.py", "wb") as f:
        f.truncate(200 * 1024 * 1024)
    result = amdlint(".")
    assert result.exit_code == 0
    assert "skipped huge.py: larger than 16 MiB (200 MiB)" in result.stderr


def test_invalid_utf8_is_read(amdlint, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"# coding: latin-1\n# caf\xe9\n" + GATE.encode())
    result = amdlint("--output-format", "json", "a.py")
    assert json.loads(result.stdout)[0]["location"]["row"] == 5


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root reads everything")
def test_unreadable_folder(amdlint, tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0)
    (tmp_path / "good.py").write_text(GATE)
    result = amdlint("--output-format", "json", ".")
    (tmp_path / "closed").chmod(0o700)
    assert result.exit_code == 2
    assert "closed: Permission denied" in result.stderr
    assert json.loads(result.stdout) != []


@pytest.mark.parametrize("option", ["--select", "--ignore"])
def test_unknown_code(amdlint, tmp_path: Path, option: str) -> None:
    result = amdlint(option, "AMD99", tmp_path)
    assert result.exit_code == 2
    assert "no code starts with 'AMD99'" in result.stderr


def test_unknown_target(amdlint, tmp_path: Path) -> None:
    result = amdlint("--target", "gfx9999", tmp_path)
    assert result.exit_code == 2
    assert "gfx9999" in result.stderr


def test_version_that_is_none(amdlint, tmp_path: Path) -> None:
    result = amdlint("--rocm", "newest", tmp_path)
    assert result.exit_code == 2
    assert "--rocm: 'newest' is not a version" in result.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[tool.amdlint]\nselekt = []\n", "selekt: unknown key"),
        ("[tool.amdlint]\nselect = [1]\n", "select: must be a list of strings"),
        ("[tool.amdlint\n", "pyproject.toml"),
    ],
)
def test_configuration(amdlint, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    result = amdlint(".")
    assert result.exit_code == 2
    assert message in result.stderr


def test_missing_configuration_file(amdlint) -> None:
    result = amdlint("--config", "nope.toml", ".")
    assert result.exit_code == 2
    assert "nope.toml: no such configuration file" in result.stderr


ENTRY = """\
code: AMD9990
title: A test entry
severity: error
cause: For tests.
sources:
  - url: https://example.org/
    says: Nothing.
    as_of: "1"
"""


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (ENTRY.replace("severity: error", "severity: fatal"), 3, "severity: Invalid enum value 'fatal'"),
        (ENTRY + "sorces: []\n", 1, "unknown field `sorces`"),
        (ENTRY.replace("code: AMD9990", "code: AMD12"), 1, "code: 'AMD12' is not AMD and four digits"),
        (ENTRY + "title: Again\n", 9, "the field 'title' is given twice"),
        (ENTRY.replace("    says: Nothing.", "    says: [1"), 8, "not valid YAML"),
        (ENTRY.replace("AMD9990", "AMD1001"), 1, "AMD1001 is already used"),
        (ENTRY + "signatures:\n  - text: abcd\n    regex: abcd\n", 10, "exactly one of text, regex"),
    ],
)
def test_user_entry_with_a_wrong_field(amdlint, tmp_path: Path, text: str, line: int, message: str) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/own.yaml").write_text(text)
    for arguments in (("kb", "check", "mine"), ("--kb", "mine", ".")):
        result = amdlint(*arguments)
        assert result.exit_code == 2
        assert f"own.yaml:{line}: " in result.stderr
        assert message in result.stderr


def test_good_user_entry(amdlint, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/own.yaml").write_text(ENTRY)
    result = amdlint("kb", "check", "mine")
    assert (result.exit_code, result.stdout) == (0, "1 entry is fine\n")


def test_missing_kb_folder(amdlint) -> None:
    result = amdlint("--kb", "nope", ".")
    assert result.exit_code == 2
    assert "nope: no such folder" in result.stderr


def test_missing_baseline(amdlint) -> None:
    result = amdlint("--baseline", "nope.json", ".")
    assert result.exit_code == 2
    assert "nope.json" in result.stderr
