"""Every fix is proved before it is written; one that fails its proof is dropped and named."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from amdlint.lint import engine, fix
from amdlint.lint.finding import Edit, Finding, Fix
from amdlint.lint.fix import edited
from amdlint.lint.repo import Repo
from amdlint.lint.rules import Rule, checks
from amdlint.lint.settings import Settings
from amdlint.lint.source import Source


def word_rule(code: str, word: bytes, replacement: str, applicability: str = "safe") -> Rule:
    """A rule that reports every ``word`` and would replace it."""

    def check(module) -> Iterator[Finding]:  # type: ignore[no-untyped-def]
        data, at = module.source.data, -1
        while (at := data.find(word, at + 1)) >= 0:
            yield Finding(
                code,
                at,
                at + len(word),
                fix=Fix(applicability, "replace", (Edit(at, at + len(word), replacement),)),
            )  # type: ignore[arg-type]

    checks[code] = check  # what importing the rule's module would do
    return Rule(code, "python", frozenset(w.decode() for w in engine.words(word)), __name__)


def run(monkeypatch: pytest.MonkeyPatch, text: bytes, *rules: Rule, unsafe: bool = False) -> fix.Result:
    def chosen(data: bytes, language: str, settings: Settings) -> list[Rule]:
        return [r for r in rules if r.triggers & {w.decode() for w in engine.words(data)}]

    monkeypatch.setattr(engine, "rules_for", chosen)
    source = Source("x.py", text, python=True)
    return fix.apply(source, Repo(Path("."), [source.path]), Settings(), unsafe=unsafe)


def test_a_good_fix_is_applied(monkeypatch: pytest.MonkeyPatch) -> None:
    result = run(monkeypatch, b"x = old\r\ny = old\r\n", word_rule("AMD9998", b"old", "new"))
    assert result.source.encoded(result.data) == b"x = new\r\ny = new\r\n"
    assert len(result.fixed) == 2
    assert result.dropped == []


def test_a_fix_that_does_not_parse_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    result = run(monkeypatch, b"x = old\n", word_rule("AMD9998", b"old", "(new"))
    assert result.data == b"x = old\n"
    assert [f.code for f, _ in result.dropped] == ["AMD9998"]


def test_a_fix_that_leaves_its_finding_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    result = run(monkeypatch, b"x = old\n", word_rule("AMD9998", b"old", "old + old"))
    assert result.data == b"x = old\n"


def test_a_fix_that_brings_another_finding_is_dropped_and_the_others_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rules = (
        word_rule("AMD9996", b"fine", "better"),
        word_rule("AMD9997", b"old", "worse"),
        word_rule("AMD9998", b"worse", "worst", "display"),
    )
    result = run(monkeypatch, b"x = fine\ny = old\n", *rules)
    assert result.data == b"x = better\ny = old\n"
    assert [f.code for f in result.fixed] == ["AMD9996"]
    assert [f.code for f, _ in result.dropped] == ["AMD9997"]


def test_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    for level, careful, bold in (
        ("safe", b"new", b"new"),
        ("unsafe", b"old", b"new"),
        ("display", b"old", b"old"),
    ):
        rule = word_rule("AMD9998", b"old", "new", level)
        assert run(monkeypatch, b"old", rule).data == careful
        assert run(monkeypatch, b"old", rule, unsafe=True).data == bold


def test_overlapping_edits_never_both_apply(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = word_rule("AMD9997", b"a.b", "c")
    narrow = word_rule("AMD9998", b"b", "d")
    result = run(monkeypatch, b"x = a.b\n", wide, narrow)
    assert result.data == b"x = c\n"


def test_equal_edits_count_once() -> None:
    assert edited(b"abc", [Edit(1, 1, "X"), Edit(1, 1, "X"), Edit(2, 3, "Y")]) == b"aXbY"


def test_untouched_bytes_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"\xef\xbb\xbfa = '\xe6\x98\xbe'\t# tab\t \r\nb = old\rc = 1"
    result = run(monkeypatch, text, word_rule("AMD9998", b"old", "new"))
    assert result.source.encoded(result.data) == text.replace(b"old", b"new")


def test_writing_keeps_the_mode_and_leaves_nothing_behind(tmp_path: Path) -> None:
    file = tmp_path / "run.sh"
    file.write_bytes(b"old")
    file.chmod(0o750)
    fix.write_atomically(file, b"new")
    assert file.read_bytes() == b"new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o750
    assert [p.name for p in tmp_path.iterdir()] == ["run.sh"]


def test_writing_through_a_symbolic_link_keeps_the_link(tmp_path: Path) -> None:
    (tmp_path / "real.py").write_bytes(b"old")
    os.symlink("real.py", tmp_path / "link.py")
    fix.write_atomically(tmp_path / "link.py", b"new")
    assert (tmp_path / "link.py").is_symlink()
    assert (tmp_path / "real.py").read_bytes() == b"new"


def test_a_write_that_fails_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"old")

    def refuse(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OSError, match="disk full"):
        fix.write_atomically(file, b"new")
    assert file.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.py"]
