"""Whether a range of an entry or a fix fits what is known of a machine."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from .model import Applies

Verdict = Literal[True, False, "any", "open"]
"""True: confirmed; False: contradicted; "any": no range given; "open": a range, but the fact is not known."""


class agrees:
    """Namespace of comparisons; each gives a Verdict."""

    @staticmethod
    def gfx(wanted: tuple[str, ...] | Literal["all"], known: Sequence[str]) -> Verdict:
        if wanted == "all":
            return "any"
        if not known:
            return "open"
        allowed = expand(wanted)
        return any(k in allowed for k in known)

    @staticmethod
    def versions(wanted: str | None, known: Sequence[str]) -> Verdict:
        if not wanted:
            return "any"
        if not known:
            return "open"
        verdicts = [contains(wanted, k) for k in known]
        if all(v is None for v in verdicts):
            return "open"
        return any(verdicts)

    @staticmethod
    def os(wanted: Sequence[str], known: str | None) -> Verdict:
        if not wanted:
            return "any"
        if known is None:
            return "open"
        # A WSL log shows Linux paths and often nothing else.
        return known in wanted or (known == "linux" and "wsl" in wanted and "open") or False

    @staticmethod
    def package(wanted: str, known: str | None) -> Verdict:
        if known is None:
            return "open" if wanted else "any"
        if not wanted:
            return True
        verdict = contains(wanted, known)
        return "open" if verdict is None else verdict


@lru_cache(maxsize=None)
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


def fits(applies: Applies, gfx: Sequence[str], rocm: Sequence[str], torch: str | None, os: str | None) -> bool:
    """Whether a range may hold for a machine: nothing known contradicts it."""
    return (
        agrees.gfx(applies.gfx, gfx) is not False
        and agrees.versions(applies.rocm, rocm) is not False
        and agrees.versions(applies.torch, (torch,) if torch else ()) is not False
        and agrees.os(applies.os, os) is not False
    )
