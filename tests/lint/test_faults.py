"""A rule that breaks down on a file costs its own findings there and nothing else, and everybody hears of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from amdlint.kb import load
from amdlint.lint import engine, gate
from amdlint.lint.finding import Finding
from amdlint.lint.rules import Check, Rule, all_rules, checks

GATE = """\
import torch

if torch.cuda.get_device_capability()[0] >= 9:
    import hopper_kernels
"""


def broken(unit: object) -> Iterator[Finding]:
    """Finds something, then breaks down: half an answer is none."""
    yield Finding("AMD1001", 0, 1)
    raise KeyError("no such thing")


def instead(monkeypatch: pytest.MonkeyPatch, rule: Rule, check: Check) -> None:
    """Let ``check`` run instead of the rule's own function."""
    assert rule.check  # its module is imported, and will not put its function back
    monkeypatch.setitem(checks, rule.code, check)


@pytest.fixture
def fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """AMD1001 raises wherever it runs."""
    monkeypatch.delenv("AMDLINT_DEBUG", raising=False)
    instead(monkeypatch, all_rules()["AMD1001"], broken)


def another_file(folder: Path) -> None:
    """One whose finding is no business of the broken rule."""
    (folder / "Dockerfile").write_text("FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\n")


def test_the_run_goes_on_and_ends_with_2(amdlint, fault: None, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(GATE)
    another_file(tmp_path)
    result = amdlint("--no-cache", "--output-format", "json", ".")
    assert result.exit_code == 2
    assert (
        "amdlint: internal error in AMD1001 on a.py: KeyError: 'no such thing'" in result.stderr.splitlines()
    )
    assert "AMDLINT_DEBUG=1" in result.stderr
    assert {Path(f["filename"]).name for f in json.loads(result.stdout)} == {"Dockerfile"}


def test_exit_zero_does_not_hide_it(amdlint, fault: None, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(GATE)
    assert amdlint("--no-cache", "--exit-zero", "a.py").exit_code == 2


def test_standard_input(amdlint, fault: None) -> None:
    result = amdlint("-", stdin=GATE)
    assert result.exit_code == 2
    assert "internal error in AMD1001 on stdin.py: KeyError" in result.stderr


def test_nothing_is_kept_for_the_next_run(amdlint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.py").write_text(GATE)
    with monkeypatch.context() as m:
        instead(m, all_rules()["AMD1001"], broken)
        assert amdlint("a.py").exit_code == 2
    result = amdlint("--output-format", "json", "a.py")
    assert [f["code"] for f in json.loads(result.stdout)] == ["AMD1001"]


def test_a_rule_that_breaks_down_on_a_rewritten_file_stops_the_rewrite(
    amdlint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    healthy = all_rules()["AMD1001"].check

    def broken_later(unit: object) -> Iterator[Finding]:
        if b"version.hip" in unit.source.data:  # type: ignore[attr-defined]
            raise KeyError("later")
        yield from healthy(unit)

    instead(monkeypatch, all_rules()["AMD1001"], broken_later)
    (tmp_path / "a.py").write_text(GATE)
    result = amdlint("--no-cache", "--fix", "a.py")
    assert (tmp_path / "a.py").read_text() == GATE
    assert "the fix of AMD1001 was not written" in result.stderr


def test_debugging_shows_the_traceback(
    amdlint, fault: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AMDLINT_DEBUG", "1")
    (tmp_path / "a.py").write_text(GATE)
    assert isinstance(amdlint("--no-cache", "a.py").exception, KeyError)


def test_a_fault_outside_the_rules(amdlint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken_patterns(*_: object) -> Iterator[Finding]:
        raise ValueError("patterns")

    monkeypatch.setattr(engine.patterns, "check", broken_patterns)
    (tmp_path / "a.py").write_text(GATE)
    result = amdlint("--no-cache", "a.py")
    assert result.exit_code == 2
    assert "internal error on a.py: ValueError: patterns" in result.stderr


def test_check_text_and_fix_text_raise(fault: None) -> None:
    with pytest.raises(engine.InternalError, match="AMD1001: KeyError: 'no such thing'"):
        engine.check_text("a.py", GATE)
    with pytest.raises(engine.InternalError):
        engine.fix_text("a.py", GATE)


def test_the_gate_does_not_swallow_it(fault: None) -> None:
    entry = load().by_code["AMD1001"]
    with pytest.raises(engine.InternalError):
        list(gate.entry_problems(entry, load()))


def test_a_rule_in_an_embedded_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def raises(unit: object) -> Iterator[Finding]:
        raise KeyError("inside a string")
        yield

    for rule in all_rules().values():
        if rule.language == "native":
            instead(monkeypatch, rule, raises)
    text = 'import cupy\nk = cupy.RawKernel(r"""__global__ void f() { int w = __ballot_sync(~0u, 1); }""", "f")\n'
    with pytest.raises(engine.InternalError, match="inside a string"):
        engine.check_text("a.py", text)


def test_rule_objects_are_shared() -> None:
    """What the fixtures above patch is what the engine runs."""
    rule = all_rules()["AMD1001"]
    assert isinstance(rule, Rule)
    assert rule in engine.rules_for(GATE.encode(), "python", engine.Settings())
    assert any(r is rule for r in engine.rules_for(GATE.encode(), "python", engine.Settings()))
