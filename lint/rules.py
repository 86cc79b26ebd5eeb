"""Registry of lint rules: one small function for one entry, found through its language folder."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from ..kb.model import Language
from .finding import Finding

LANGUAGES: tuple[Language, ...] = ("python", "native", "project")


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    ``triggers`` are words (runs of ``[A-Za-z0-9_]``) of which at least one stands in every file in
    which the rule can find something: the engine parses no other files. ``check`` takes the parsed
    file of the rule's language (``python.module.Module``, ``native.unit.Unit``, ``project.file.ProjectFile``).
    """

    code: str
    language: Language
    triggers: frozenset[str]
    check: Callable[[Any], Iterator[Finding]]
    module: str


F = TypeVar("F", bound=Callable[[Any], Iterator[Finding]])
_registered: dict[str, Rule] = {}


def rule(code: str, *, triggers: set[str]) -> Callable[[F], F]:
    """Register a generator of findings as the rule of an entry."""

    def register(check: F) -> F:
        module = check.__module__
        language = module.split(".")[-3]
        if language not in LANGUAGES:
            raise ValueError(f"{module} is not a rule module of {LANGUAGES}")
        if code in _registered and _registered[code].module != module:
            raise ValueError(f"{code} has two rules: {_registered[code].module} and {module}")
        _registered[code] = Rule(code, language, frozenset(triggers), check, module)
        return check

    return register


@lru_cache(maxsize=1)
def all_rules() -> dict[str, Rule]:
    """Every rule by code, in code order."""
    for language in LANGUAGES:
        package = importlib.import_module(f".{language}.rules", __package__)
        for info in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{package.__name__}.{info.name}")
    return dict(sorted(_registered.items()))
