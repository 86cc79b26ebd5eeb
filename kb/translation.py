"""Entries in another language: ``kb/<lang>/<area>/<slug>.yaml`` holds the prose of an entry, nothing else.

Commands, code, signatures, ranges and sources stay those of the English entry. A translation names the
English text it was made from by its digest, so that the gate can tell when it is out of date.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import msgspec
from msgspec.structs import replace

from .compiled import compiled, state, tree_state
from .model import Entry, Fix, Step
from .store import Problem, line_of, read_yaml

FOLDER = Path(__file__).parent
LANGUAGES = ("zh",)


class FixProse(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Prose of one fix; ``do`` translates its ``do`` steps in order."""

    summary: str
    caveat: str | None = None
    do: tuple[str, ...] = ()


class Translation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Prose of one entry. ``english`` is the ``digest`` of the entry that was translated."""

    english: str
    title: str
    cause: str
    fixes: tuple[FixProse, ...] = ()
    wrong_advice: tuple[str, ...] = ()


def prose(entry: Entry) -> dict[str, object]:
    """The parts of an entry that a translation must cover."""
    return {
        "title": entry.title,
        "cause": entry.cause,
        "fixes": [{"summary": f.summary, "caveat": f.caveat, "do": _do_steps(f)} for f in entry.fixes],
        "wrong_advice": list(entry.wrong_advice),
    }


def digest(entry: Entry) -> str:
    """Identifies the English prose of an entry, 12 hexadecimal digits."""
    import hashlib
    import json

    return hashlib.sha256(json.dumps(prose(entry), ensure_ascii=False).encode()).hexdigest()[:12]


def _do_steps(fix: Fix) -> list[str]:
    return [s.do for s in fix.steps if s.do is not None]


def translated(entry: Entry, lang: str) -> Entry:
    """The entry with its prose in ``lang`` where a translation exists and fits, else as it is."""
    if lang == "en":
        return entry
    encoded = _translations(lang).get(entry.slug)
    if encoded is None:
        return entry
    found = msgspec.msgpack.decode(encoded, type=Translation)
    if not fits(found, entry):
        return entry
    fixes = tuple(_fix(f, t) for f, t in zip(entry.fixes, found.fixes, strict=True))
    return replace(entry, title=found.title, cause=found.cause, fixes=fixes, wrong_advice=found.wrong_advice)


def _fix(fix: Fix, to: FixProse) -> Fix:
    sentences = iter(to.do)
    steps = tuple(Step(do=next(sentences)) if s.do is not None else s for s in fix.steps)
    return replace(fix, summary=to.summary, caveat=to.caveat, steps=steps)


def fits(translation: Translation, entry: Entry) -> bool:
    """Whether the translation has the shape of the entry: as many fixes, steps, caveats and advices."""
    return (
        len(translation.fixes) == len(entry.fixes)
        and len(translation.wrong_advice) == len(entry.wrong_advice)
        and all(
            len(t.do) == len(_do_steps(f)) and (t.caveat is None) == (f.caveat is None)
            for t, f in zip(translation.fixes, entry.fixes, strict=True)
        )
    )


def is_wide(char: str) -> bool:
    """Whether this is a Chinese character or sign, which takes two columns of a terminal.

    Comparisons: a regular expression of these ranges takes some three milliseconds to compile.
    """
    return "\u2e80" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff" or "\uff00" <= char <= "\uffef"


def flat(text: str) -> str:
    """A paragraph as one line. A line end between two wide characters stands for nothing."""
    line = ""
    for part in filter(None, map(str.strip, text.split("\n"))):
        line += part if not line or (is_wide(line[-1]) and is_wide(part[0])) else f" {part}"
    return " ".join(line.split())


@lru_cache(maxsize=2)
def _translations(lang: str) -> dict[str, msgspec.Raw]:
    """Slug to translation, still encoded: a run needs a few of them."""
    now = f"{state([Path(__file__)])}\n{tree_state(FOLDER / lang, ('.yaml',))}"
    return compiled(f"translations-{lang}", now, dict[str, msgspec.Raw], lambda: _read(FOLDER / lang))


def _read(folder: Path) -> dict[str, msgspec.Raw]:
    found = {}
    for file in sorted(folder.rglob("*.yaml")):
        translation = msgspec.convert(read_yaml(file.read_text("utf-8")), Translation)
        found[file.stem] = msgspec.Raw(msgspec.msgpack.encode(translation))
    return found


def problems(entries: list[Entry], lang: str) -> list[Problem]:
    """What is wrong with the translations of a language: missing, out of date, of another shape, or of no entry."""
    by_slug = {e.slug: e for e in entries}
    found: list[Problem] = []
    seen = set()
    for file in sorted((FOLDER / lang).rglob("*.yaml")):
        text = file.read_text("utf-8")
        try:
            translation = msgspec.convert(read_yaml(text), Translation)
        except Exception as e:
            found.append(Problem(str(file), 1, "", f"cannot be read: {e}"))
            continue
        entry = by_slug.get(file.stem)
        if entry is None or entry.area != file.parent.name:
            found.append(Problem(str(file), 1, "", f"no entry lies at {file.parent.name}/{file.stem}"))
            continue
        seen.add(entry.slug)
        if not fits(translation, entry):
            found.append(
                Problem(str(file), line_of(text, "fixes"), "fixes", "has not the shape of the English entry")
            )
        if translation.english != digest(entry):
            found.append(
                Problem(
                    str(file),
                    line_of(text, "english"),
                    "english",
                    f"out of date: the English text is now {digest(entry)}",
                )
            )
    found += [
        Problem(f"{lang}/{e.area}/{e.slug}.yaml", 1, "", "is missing") for e in entries if e.slug not in seen
    ]
    return found
