"""Registry of lint rules: one small function for one entry, found through its language folder.

Importing some two hundred rule modules would cost every start-up more than most runs need. The table of
triggers is therefore kept in the user's cache folder, and a rule's module is imported when a file holds
one of its triggers.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from ..kb.compiled import compiled, tree_state
from ..kb.model import Language
from .finding import Finding
from .source import UnreadableSource

LANGUAGES: tuple[Language, ...] = ("python", "native", "project")

Check = Callable[[Any], Iterator[Finding]]


class Rule(msgspec.Struct, frozen=True):
    """One rule.

    ``triggers`` are words (runs of ``[A-Za-z0-9_]``) of which at least one stands in every file in
    which the rule can find something: the engine parses no other files. ``check`` takes the parsed
    file of the rule's language (``python.module.Module``, ``native.unit.Unit``, ``project.file.ProjectFile``).
    """

    code: str
    language: Language
    triggers: frozenset[str]
    module: str

    @property
    def check(self) -> Check:
        if self.code not in checks:
            importlib.import_module(self.module)
        return checks[self.code]

    def findings(self, unit: Any, faults: list[Fault]) -> list[Finding]:
        """What the rule finds in a parsed file; one that breaks down there is noted in ``faults``."""
        try:
            return list(self.check(unit))
        except (SyntaxError, UnreadableSource, RecursionError):
            raise  # files are parsed when a rule first asks: this is about the file, not the rule
        except Exception as e:
            if os.environ.get("AMDLINT_DEBUG"):
                raise
            faults.append(Fault(self.code, f"{type(e).__name__}: {e}"))
            return []


class Fault(msgspec.Struct, frozen=True):
    """A rule that raised on a file: a bug of amdlint. The other rules and files are not affected."""

    code: str
    problem: str


F = TypeVar("F", bound=Check)
checks: dict[str, Check] = {}
"""The functions of the rules whose modules have been imported."""
_registered: dict[str, Rule] = {}


def rule(code: str, *, triggers: set[str]) -> Callable[[F], F]:
    """Register a generator of findings as the rule of an entry."""

    def register(check: F) -> F:
        module = check.__module__
        language = next((x for x in LANGUAGES if module.split(".")[-3] == x), None)
        if language is None:
            raise ValueError(f"{module} is not a rule module of {LANGUAGES}")
        if code in _registered and _registered[code].module != module:
            raise ValueError(f"{code} has two rules: {_registered[code].module} and {module}")
        _registered[code] = Rule(code, language, frozenset(triggers), module)
        checks[code] = check
        return check

    return register


class _Row(msgspec.Struct, array_like=True):
    code: str
    language: Language
    triggers: tuple[str, ...]
    module: str


@lru_cache(maxsize=1)
def all_rules() -> dict[str, Rule]:
    """Every rule by code, in code order."""
    top = Path(__file__).parent
    files = (tree_state(top / language / "rules", (".py",)) for language in LANGUAGES)
    rows = compiled("rules", "\n".join((__package__, *files)), list[_Row], _import_all)
    return {r.code: Rule(r.code, r.language, frozenset(r.triggers), r.module) for r in rows}


def _import_all() -> list[_Row]:
    import pkgutil

    for language in LANGUAGES:
        package = importlib.import_module(f".{language}.rules", __package__)
        for info in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{package.__name__}.{info.name}")
    found = sorted(_registered.values(), key=lambda r: r.code)
    return [_Row(r.code, r.language, tuple(sorted(r.triggers)), r.module) for r in found]
