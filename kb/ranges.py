"""Whether a range of an entry or a fix fits what is known of a machine."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Literal, TypeAlias

from .context import Context
from .model import Applies

Verdict: TypeAlias = bool | Literal["any", "open"]
"""True: confirmed; False: contradicted; "any": no range given; "open": a range, but the fact is not known."""


def gfx(wanted: tuple[str, ...] | Literal["all"], known: Sequence[str]) -> Verdict:
    """Targets wanted against targets known."""
    if wanted == "all":
        return "any"
    if not known:
        return "open"
    allowed = expand(wanted)
    return any(k in allowed for k in known)


def versions(wanted: str | None, known: Sequence[str]) -> Verdict:
    """A PEP 440 range against the versions known."""
    if not wanted:
        return "any"
    if not known:
        return "open"
    verdicts = [contains(wanted, k) for k in known]
    if all(v is None for v in verdicts):
        return "open"
    return any(verdicts)


def system(wanted: Sequence[str], known: str | None) -> Verdict:
    """Operating systems wanted against the one known."""
    if not wanted:
        return "any"
    if known is None:
        return "open"
    if known == "linux" and "wsl" in wanted and "linux" not in wanted:
        return "open"  # a WSL log shows Linux paths and often nothing else
    return known in wanted


def package(wanted: str, known: str | None) -> Verdict:
    """A PEP 440 range against the version of a package."""
    if known is None:
        return "open" if wanted else "any"
    if not wanted:
        return True
    verdict = contains(wanted, known)
    return "open" if verdict is None else verdict


@cache
def expand(names: tuple[str, ...]) -> frozenset[str]:
    """gfx targets of a list of targets, wildcards and families; unknown names stand for themselves."""
    from . import facts

    found: set[str] = set()
    for name in names:
        try:
            found |= facts.expand_gfx(name)
        except ValueError:
            found.add(name)
    return frozenset(found)


@lru_cache(maxsize=4096)
def contains(wanted: str, version: str) -> bool | None:
    """Whether a PEP 440 range holds a version as printed; None when it cannot be read as one.

    A version that is less exact than the range ("6.4" against ">=6.4.1") is not judged.
    """
    from packaging.specifiers import InvalidSpecifier, SpecifierSet
    from packaging.version import InvalidVersion, Version

    m = re.match(r"\d+(?:\.\d+)*(?:(?:\.|-)?(?:dev|a|b|rc|post)\d*)*", version)
    if m is None:
        return None
    try:
        number = Version(m.group())
        specifiers = SpecifierSet(wanted)
    except (InvalidSpecifier, InvalidVersion):
        return None
    if number.release and len(number.release) < 3:
        lowest, highest = number, Version(f"{'.'.join(map(str, number.release))}.999")
        if specifiers.contains(lowest, prereleases=True) != specifiers.contains(highest, prereleases=True):
            return None
    # A nightly of 2.10 behaves as 2.10, not as something older than it.
    return specifiers.contains(Version(number.base_version), prereleases=True)


def fits(applies: Applies, context: Context) -> bool:
    """Whether a range may hold for a machine: nothing known contradicts it."""
    return all(v is not False for v, _ in verdicts(applies, context))


def verdicts(applies: Applies, context: Context) -> Iterator[tuple[Verdict, str]]:
    """How each part of a range compares with what is known of the machine."""
    yield gfx(applies.gfx, context.gfx), "gfx"
    yield versions(applies.rocm, context.rocm_versions), "rocm"
    yield versions(applies.torch, (context.torch,) if context.torch else ()), "torch"
    yield system(applies.os, context.os), "os"
    for name, wanted in applies.packages.items():
        yield package(wanted, context.packages.get(name)), "package"
