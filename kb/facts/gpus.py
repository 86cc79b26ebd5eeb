"""gfx targets, their families, and cards by the names that people paste."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Mapping
from functools import lru_cache

from .files import load
from .model import Card, Gpu, GpuFile, Target

CURRENT_TARGETS: frozenset[str] = frozenset(
    {
        *("gfx908", "gfx90a", "gfx942", "gfx950"),
        *("gfx1030", "gfx1100", "gfx1101", "gfx1102", "gfx1103"),
        *("gfx1150", "gfx1151", "gfx1152", "gfx1153", "gfx1200", "gfx1201"),
    }
)
"""The targets that AMD lists for ROCm 10.x: what "every current target" means."""

_RDNA1 = "gfx1010 gfx1011 gfx1012"
_RDNA2 = "gfx1030 gfx1031 gfx1032 gfx1033 gfx1034 gfx1035 gfx1036"
_RDNA3 = "gfx1100 gfx1101 gfx1102 gfx1103"
_RDNA35 = "gfx1150 gfx1151 gfx1152 gfx1153"
_RDNA4 = "gfx1200 gfx1201"
_VEGA = "gfx900 gfx902 gfx906 gfx909 gfx90c"
_GCN = "gfx801 gfx802 gfx803"
_CDNA = "gfx908 gfx90a gfx940 gfx941 gfx942 gfx950"

FAMILIES: Mapping[str, frozenset[str]] = {
    name: frozenset(members.split())
    for name, members in {
        "gcn": _GCN,
        "vega": _VEGA,
        "cdna": _CDNA,
        "cdna1": "gfx908",
        "cdna2": "gfx90a",
        "cdna3": "gfx940 gfx941 gfx942",
        "cdna4": "gfx950",
        "rdna": f"{_RDNA1} {_RDNA2} {_RDNA3} {_RDNA35} {_RDNA4}",
        "rdna1": _RDNA1,
        "rdna2": _RDNA2,
        # RDNA 3.5 is a family of its own: it differs from RDNA 3 in wheels, kernels and overrides.
        "rdna3": _RDNA3,
        "rdna3.5": _RDNA35,
        "rdna4": _RDNA4,
        "wave64": f"{_GCN} {_VEGA} {_CDNA}",
        "wave32": f"{_RDNA1} {_RDNA2} {_RDNA3} {_RDNA35} {_RDNA4} gfx1250",
        "instinct": f"gfx900 gfx906 {_CDNA} gfx1250",
        "radeon": f"{_GCN} {_VEGA} {_RDNA1} {_RDNA2} {_RDNA3} {_RDNA35} {_RDNA4}",
        "all": f"{_GCN} {_VEGA} {_CDNA} gfx1250 {_RDNA1} {_RDNA2} {_RDNA3} {_RDNA35} {_RDNA4}",
    }.items()
}
"""Names of groups of targets. Vega 20 (gfx906) is both an Instinct and a Radeon."""

_GENERIC = {
    # LLVM's generic targets: one code object for several real ones.
    "gfx9-generic": FAMILIES["vega"],
    "gfx9-4-generic": FAMILIES["cdna3"] | FAMILIES["cdna4"],
    "gfx10-1-generic": FAMILIES["rdna1"],
    "gfx10-3-generic": FAMILIES["rdna2"],
    "gfx11-generic": FAMILIES["rdna3"] | FAMILIES["rdna3.5"],
    "gfx12-generic": FAMILIES["rdna4"],
}


@lru_cache(maxsize=1)
def gpu_facts() -> GpuFile:
    """Everything in gpus.yaml."""
    return load("gpus", GpuFile)


def targets() -> tuple[Target, ...]:
    """All known gfx targets."""
    return gpu_facts().targets


def cards() -> tuple[Card, ...]:
    """All known products."""
    return gpu_facts().cards


@lru_cache(maxsize=1)
def _by_gfx() -> dict[str, Target]:
    return {t.gfx: t for t in targets()}


def target(gfx: str) -> Target | None:
    """The target with this name; feature suffixes (``gfx90a:sramecc+:xnack-``) are ignored."""
    return _by_gfx().get(gfx.strip().lower().partition(":")[0])


@lru_cache(maxsize=512)
def expand_gfx(name: str) -> frozenset[str]:
    """The gfx targets that a name stands for.

    Takes a target (``gfx942``, also with features ``gfx90a:xnack-``), a wildcard (``gfx11*``,
    ``gfx11xx``), a family (``cdna3``, ``rdna3.5``, ``wave64``, ``instinct``, ``all`` ...) or an LLVM
    generic target (``gfx11-generic``). Raises ValueError for anything else.
    """
    asked = name.strip().lower()
    if asked in FAMILIES:
        return FAMILIES[asked]
    if asked in _GENERIC:
        return _GENERIC[asked]
    asked = asked.partition(":")[0]
    if asked in FAMILIES["all"]:
        return frozenset({asked})
    # gfx11xx and gfx90x are how people write "all of gfx11" and "all of gfx90".
    pattern = re.sub(r"(?<=\d)x{1,2}$", "*", asked)
    if pattern.startswith("gfx") and "*" in pattern:
        found = frozenset(g for g in FAMILIES["all"] if fnmatch.fnmatchcase(g, pattern))
        if found:
            return found
    known = ", ".join(sorted(FAMILIES["all"], key=lambda g: (len(g), g)))
    raise ValueError(
        f"unknown GPU target {name!r}; known are the families {', '.join(FAMILIES)}, "
        f"the targets {known}, and wildcards such as gfx11*"
    )


def override_for(gfx: str) -> str | None:
    """The HSA_OVERRIDE_GFX_VERSION value that usually helps this target, or None."""
    found = target(gfx)
    return found.override if found else None


def gpu(name: str) -> Gpu | None:
    """The GPU with this name in any usual spelling, or None.

    Understands product names ("AMD Instinct MI300X", "RX 7900 XTX", "Radeon 8060S"), code names
    ("Strix Halo", "Navi 31"), processor names ("Ryzen AI Max+ 395") and gfx targets.
    """
    plain = target(name)
    if plain is not None:
        return _gpu(plain.gfx, plain, None)
    words = _words(name)
    if not words or _OTHER_VENDOR.search(name):
        return None
    names = _names()
    whole = "".join(words)
    found = names.get(whole) or _loose_names().get(whole)
    if found is None:
        # The name may stand in a longer text: the longest run of words that is a product wins, then a code name.
        spans = [(i, j) for i in range(len(words)) for j in range(i + 1, min(len(words), i + 7) + 1)]
        spans.sort(key=lambda s: len("".join(words[s[0] : s[1]])), reverse=True)
        inside = [names[key] for i, j in spans if (key := "".join(words[i:j])) in names]
        found = next((f for f in inside if isinstance(f, Card) or f.card), inside[0] if inside else None)
    if found is None:
        return None
    return _gpu(found.name, _by_gfx()[found.gfx], found) if isinstance(found, Card) else found


def _gpu(name: str, of: Target, card: Card | None) -> Gpu:
    return Gpu(
        name=name,
        gfx=of.gfx,
        family=of.family,
        wavefront=of.wavefront,
        lds_kib=of.lds_kib,
        fp8=of.fp8,
        capability=of.capability,
        override=of.override,
        target=of,
        card=card,
    )


_OTHER_VENDOR = re.compile(r"nvidia|geforce|quadro|tesla|\brtx\b|\bgtx\b|\bgt\b|intel|\barc\b|apple", re.I)
_NOISE = frozenset(
    {
        *("amd", "ati", "inc", "instinct", "radeon", "ryzen", "ai", "pro", "graphics", "gpu", "series"),
        *("platform", "oam", "vf", "tm", "r", "accelerator", "with", "w"),
    }
)


def _words(name: str) -> list[str]:
    """Lower-case words of a GPU name without those that say nothing ("AMD", "Radeon", "(TM)")."""
    found = re.findall(r"[a-z0-9]+", re.sub(r"\((tm|r|c)\)|[™®]", " ", name.lower()))
    return [w for w in found if w not in _NOISE]


@lru_cache(maxsize=1)
def _all_names() -> dict[str, Card | Gpu]:
    """Normalised names of products, graphics parts and code names."""
    known: dict[str, Card | Gpu] = {}
    parts: dict[str, set[str]] = {}
    for card in cards():
        known.setdefault("".join(_words(card.name)), card)
        for name in card.aliases:
            alias = _gpu(f"AMD {name}", _by_gfx()[card.gfx], card)
            known.setdefault("".join(_words(name)), alias)
        if card.igpu:
            parts.setdefault(card.igpu, set()).add(card.gfx)
    for igpu, gfx in parts.items():
        # Radeon 840M is sold as gfx1152 and as gfx1153: such a name says nothing.
        if len(gfx) == 1:
            known.setdefault("".join(_words(igpu)), _gpu(f"AMD {igpu}", _by_gfx()[next(iter(gfx))], None))
    for t in targets():
        for name in (t.gfx, *t.codenames):
            known.setdefault("".join(_words(name)), _gpu(t.gfx, t, None))
    return known


@lru_cache(maxsize=1)
def _names() -> dict[str, Card | Gpu]:
    """Names that are unmistakable even inside a longer text."""
    return {key: found for key, found in _all_names().items() if not key.isdigit() and len(key) > 3}


@lru_cache(maxsize=1)
def _loose_names() -> dict[str, Card | Gpu]:
    """Short names ("7900 XTX", "VII") that count only when nothing else is said."""
    known: dict[str, Card | Gpu] = {}
    for key, found in _all_names().items():
        for short in (key, key.removeprefix("rx"), key.removeprefix("max"), re.sub(r"^\d(?=hx)", "", key)):
            if len(short) > 2:
                known.setdefault(short, found)
    return known
