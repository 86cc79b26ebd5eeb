"""The integrity gate: what must hold for every entry, every rule and every example."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from amdlint import kb
from amdlint.kb import store, translation
from amdlint.kb.model import AREAS
from amdlint.lint import gate
from amdlint.lint.rules import all_rules

ENTRIES, PROBLEMS = store.parse((store.BUILTIN,))
BASE = store.KnowledgeBase(ENTRIES)


def test_every_entry_loads() -> None:
    assert [str(p) for p in PROBLEMS] == []


def test_codes_and_slugs_are_unique() -> None:
    assert [c for c, n in Counter(e.code for e in ENTRIES).items() if n > 1] == []
    assert [s for s, n in Counter(e.slug for e in ENTRIES).items() if n > 1] == []


def test_related_entries_exist() -> None:
    assert [str(p) for p in store.dangling(ENTRIES, (store.BUILTIN,))] == []


def test_every_rule_has_an_entry() -> None:
    assert sorted(all_rules().keys() - BASE.by_code.keys()) == []


def test_every_area_has_entries() -> None:
    assert set(AREAS) - {e.area for e in ENTRIES} == set()


def test_every_entry_can_be_verified() -> None:
    """At least one of its fixes says how to see that it worked."""
    assert [e.slug for e in ENTRIES if e.fixes and not any(f.verify for f in e.fixes)] == []


@pytest.mark.parametrize("lang", translation.LANGUAGES)
def test_translations_are_complete_and_current(lang: str) -> None:
    assert [str(p) for p in translation.problems(ENTRIES, lang)] == []


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: f"{e.code}-{e.slug}")
def test_entry(entry: kb.Entry) -> None:
    assert [f"{field}: {message}" for field, message in gate.entry_problems(entry, BASE)] == []


def test_json_schema_is_current() -> None:
    stored = json.loads((store.BUILTIN.parent / "entry.schema.json").read_text("utf-8"))
    assert stored == json.loads(json.dumps(store.json_schema())), "run `python -m amdlint.kb.schema`"
