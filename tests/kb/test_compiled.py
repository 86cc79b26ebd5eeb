"""The compiled copies: where they lie, when they hold, and that one entry is decoded at a time."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import platformdirs
import pytest
from amdlint.kb import compiled, load, store
from amdlint.kb.index import index_of


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere platformdirs itself is asked")
@pytest.mark.parametrize("home", [None, "/somewhere/cache"])
def test_the_folder_is_the_one_of_platformdirs(home: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    if home is not None:
        monkeypatch.setenv("XDG_CACHE_HOME", home)
    assert compiled._folder() == Path(platformdirs.user_cache_dir("amdlint", appauthor=False))


def entry(folder: Path, code: str, slug: str, text: str) -> Path:
    file = folder / f"{slug}.yaml"
    file.write_text(
        f"code: {code}\ntitle: {slug}\nseverity: error\ncause: Because.\nsources:\n- url: https://example.org/\n"
        f"  as_of: rocm 7.1\n  says: it\nsignatures:\n- text: {text}\n  role: cause\n",
        encoding="utf-8",
    )
    return file


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of two entries, and an empty cache."""
    monkeypatch.setattr(compiled, "_folder", lambda: tmp_path / "cache")
    entries = tmp_path / "entries" / "runtime"
    entries.mkdir(parents=True)
    entry(entries, "AMD9001", "first", "went boom")
    entry(entries, "AMD9002", "second", "went wrong")
    return entries.parent


def test_a_warm_start_reads_no_yaml(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cold = load(builtin=folder)
    monkeypatch.setattr(store, "parse", lambda *_, **__: pytest.fail("YAML was parsed"))
    warm = load(builtin=folder)
    assert list(warm) == list(cold)
    assert [h.literals for h in warm.heads] == [(("went boom",),), (("went wrong",),)]


def test_a_changed_entry_is_seen(folder: Path) -> None:
    first = load(builtin=folder)
    file = entry(folder / "runtime", "AMD9002", "second", "went elsewhere")
    info = file.stat()
    os.utime(file, ns=(info.st_atime_ns, info.st_mtime_ns + 1))
    second = load(builtin=folder)
    assert second.state != first.state
    assert second.by_code["AMD9002"].signatures[0].text == "went elsewhere"


def test_only_the_asked_entry_is_decoded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load(builtin=folder)
    base = load(builtin=folder)
    decoded: list[str] = []
    real = store.decode
    monkeypatch.setattr(store, "decode", lambda encoded: decoded.append(real(encoded).code) or real(encoded))
    index = index_of(base)
    (number,) = index.by_literal["went wrong"]
    assert index.signatures[number][0].slug == "second"
    assert base.find("SECOND") is base.find("amd9002")
    assert "AMD9001" in base.by_code
    assert decoded == ["AMD9002"]
