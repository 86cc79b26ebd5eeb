"""The typed model of a knowledge entry: one problem, one code, one page.

Entries are YAML files under ``kb/entries/<area>/<slug>.yaml``. ``store`` loads them into these
structures; every field is checked on load, and the JSON Schema for editors is derived from here.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

import msgspec

Severity: TypeAlias = Literal["error", "warning", "note"]
Applicability: TypeAlias = Literal["safe", "unsafe", "display"]
Role: TypeAlias = Literal["cause", "symptom", "hint"]
Language: TypeAlias = Literal["python", "native", "project"]

AREAS: dict[str, str] = {
    # folder: the thousand of its codes and the heading of its index page
    "architecture": "Device and architecture",
    "toolkit": "Toolkit and build",
    "kernels": "Kernels: CUDA C++, PTX, Triton",
    "communication": "Communication",
    "numerics": "Numerics and data types",
    "libraries": "Libraries and packages",
    "environment": "Environment, containers, schedulers",
    "installation": "Installation and driver",
    "runtime": "Run-time failures and memory",
    "linter": "amdlint itself",  # the tenth area: AMD0xxx
}

CODE = re.compile(r"AMD[0-9]{4}")
SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of all parts: immutable, and a misspelt field is an error rather than silence."""


class Applies(_Strict, frozen=True):
    """The range in which an entry or a fix holds. An absent field means "any"."""

    gfx: tuple[str, ...] | Literal["all"] = "all"
    """gfx targets (``gfx942``), wildcards (``gfx11*``) or families: see ``kb.facts.FAMILIES``."""
    rocm: str | None = None
    """PEP 440 range of ROCm versions, e.g. ``>=6.0,<7.0``."""
    torch: str | None = None
    packages: dict[str, str] = {}
    """Distribution name to PEP 440 range (empty string: any version)."""
    os: tuple[Literal["linux", "windows", "wsl"], ...] = ()


class Signature(_Strict, frozen=True):
    """How the problem shows itself on one line of a log.

    Exactly one of ``text`` (literal) and ``regex`` (linear-time subset, see ``kb.signature``).
    """

    text: str | None = None
    regex: str | None = None
    role: Role = "cause"
    """cause: the line names this problem; symptom: other problems print it too;
    hint: only supports another signature and never answers alone."""
    needs: Literal["amd", "nothing"] = "amd"
    """amd: counts only beside AMD evidence in the paste; nothing: the line exists only on ROCm."""
    beside: tuple[str, ...] = ()
    """At least one of these must stand somewhere in the paste (literal, or ``/regex/``)."""
    absent: tuple[str, ...] = ()
    """None of these may stand in the paste (literal, or ``/regex/``)."""


class Step(_Strict, frozen=True):
    """One thing to do. Exactly one field is set.

    All but ``code`` may hold ``{gfx}``, ``{override}``, ``{rocm}``, ``{torch}``,
    ``{wheel_index}``: filled from what the paste and the options say.
    """

    do: str | None = None
    """A sentence."""
    run: str | None = None
    """A shell command."""
    env: str | None = None
    """``NAME=value`` lines."""
    code: str | None = None
    """Source code to write."""
    config: str | None = None
    """Text of a configuration file or kernel command line."""


class Fix(_Strict, frozen=True):
    """One way out; fixes are ordered, the best first."""

    summary: str
    steps: tuple[Step, ...] = ()
    applies: Applies = Applies()
    verify: str | None = None
    """A command whose output shows that the fix worked."""
    caveat: str | None = None


class Source(_Strict, frozen=True):
    """Where a claim comes from, what it says, and of which version it speaks."""

    url: str
    says: str
    as_of: str


class CodePattern(_Strict, frozen=True):
    """A declarative code pattern: how a user's entry finds its problem without a rule written in Python."""

    regex: str
    """Looked for in each line, outside comments; same linear dialect as signatures."""
    detail: str
    """What happens at this place, in one line."""
    files: tuple[str, ...] = ("*.py",)
    """File name patterns, e.g. ``*.py`` or ``Dockerfile*``."""


class Example(_Strict, frozen=True):
    """One runnable example. Exactly one of ``log``, ``bad`` and ``ok`` is set."""

    log: str | None = None
    match: Literal["first", "listed", "never"] = "first"
    """first: this entry is the answer; listed: among the answers; never: this entry must not appear."""
    bad: str | None = None
    """Source text in which this entry's rule must report."""
    lines: tuple[int, ...] = ()
    """The lines reported in ``bad`` (1-based); empty: at least one."""
    fixed: str | None = None
    """``bad`` after the fix."""
    fix: Applicability | None = None
    ok: str | None = None
    """Source text in which this entry's rule must be silent."""
    path: str | None = None
    """File name that the code pretends to have; decides how it is read."""
    rewrite_note: str | None = None
    """What the reader of the page should notice in the rewrite."""


class Entry(_Strict, frozen=True):
    """One problem. See CONTRIBUTING.md for how to write one."""

    code: str
    title: str
    severity: Severity
    cause: str
    sources: tuple[Source, ...]
    applies: Applies = Applies()
    status: Literal["active", "fixed-in", "retired"] = "active"
    fixed_in: str | None = None
    """For status fixed-in: the release that fixed it, e.g. ``torch 2.9``."""
    rule: Language | None = None
    """The language folder that holds the lint rule; absent when the problem cannot be seen in code."""
    fix_safety: str | None = None
    """Why the rule's automatic fix is safe, unsafe or only displayed."""
    signatures: tuple[Signature, ...] = ()
    patterns: tuple[CodePattern, ...] = ()
    fixes: tuple[Fix, ...] = ()
    wrong_advice: tuple[str, ...] = ()
    """Popular advice that does not help here, and why."""
    examples: tuple[Example, ...] = ()
    related: tuple[str, ...] = ()
    # Filled by the store from the file's place, never written in YAML.
    slug: str = ""
    area: str = ""

    @property
    def url(self) -> str:
        """Address of the entry's page."""
        return f"https://amdlint.github.io/amdlint/entries/{self.area}/{self.slug}/"


def check(entry: Entry) -> list[tuple[str, str]]:
    """Rules of the model that types cannot say.

    Returns (field path, problem) pairs; field paths look like ``signatures[0].regex``.
    """
    from . import signature  # which imports this module

    problems: list[tuple[str, str]] = []

    def one_of(path: str, part: msgspec.Struct, names: tuple[str, ...]) -> None:
        given = [n for n in names if getattr(part, n) is not None]
        if len(given) != 1:
            problems.append((path, f"exactly one of {', '.join(names)} must be given, found {len(given)}"))

    if not CODE.fullmatch(entry.code):
        problems.append(("code", f"{entry.code!r} is not AMD and four digits"))
    elif entry.area in AREAS and int(entry.code[3]) != (list(AREAS).index(entry.area) + 1) % 10:
        problems.append(("code", f"{entry.code} does not belong to the area {entry.area!r}"))
    if entry.slug and not SLUG.fullmatch(entry.slug):
        problems.append(("slug", f"file name {entry.slug!r} is not lower-case words joined by hyphens"))
    if "\n" in entry.title or entry.title.endswith("."):
        problems.append(("title", "a title is one line without a full stop"))
    if not entry.sources:
        problems.append(("sources", "at least one source is needed"))
    if (entry.status == "fixed-in") != (entry.fixed_in is not None):
        problems.append(("fixed_in", "fixed_in belongs to status fixed-in, and only there"))
    for i, sig in enumerate(entry.signatures):
        one_of(f"signatures[{i}]", sig, ("text", "regex"))
        problems += [(f"signatures[{i}].{field}", message) for field, message in signature.problems(sig)]
    for i, fix in enumerate(entry.fixes):
        for j, step in enumerate(fix.steps):
            one_of(f"fixes[{i}].steps[{j}]", step, ("do", "run", "env", "code", "config"))
    for i, example in enumerate(entry.examples):
        one_of(f"examples[{i}]", example, ("log", "bad", "ok"))
        if example.fixed is not None and example.bad is None:
            problems.append((f"examples[{i}].fixed", "fixed needs bad"))
        if (example.fixed is not None) != (example.fix in ("safe", "unsafe")):
            problems.append(
                (f"examples[{i}].fix", "fixed text needs a fix level safe or unsafe, and the other way round")
            )
    return problems
