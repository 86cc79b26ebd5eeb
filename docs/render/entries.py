"""One page for every entry."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from functools import lru_cache

from amdlint.kb import KnowledgeBase, facts
from amdlint.kb.model import AREAS, Applies, Entry, Example, Fix, Step
from amdlint.kb.signature import compile_signature

from . import applies, chinese
from .patterns import readable
from .prose import badge, fence, indent, inline, link_name, markdown, paragraphs

FOUND_IN = {"python": "Python code", "native": "CUDA C++ code", "project": "project files"}
SUFFIX_LANGUAGE = {
    ".py": "python",
    ".cu": "cuda",
    ".cuh": "cuda",
    ".cpp": "cpp",
    ".h": "cpp",
    ".yml": "yaml",
    ".yaml": "yaml",
    ".toml": "toml",
    ".json": "json",
    ".sh": "bash",
    ".txt": "text",
    ".cmake": "cmake",
    ".ipynb": "json",
    ".cfg": "ini",
}
NAME_LANGUAGE = {"Dockerfile": "docker", "CMakeLists.txt": "cmake", "Makefile": "make"}
LEVEL = {
    "safe": "NVIDIA behaves exactly as before; <code>--fix</code> writes it",
    "unsafe": "needs <code>--unsafe-fixes</code>",
    "display": "shown as code for you to write",
}


HOLDER = re.compile(r"\{(gfx|override|rocm|torch|wheel_index)\}")


def pages(base: KnowledgeBase) -> dict[str, str]:
    """Address in docs/ to Markdown."""
    return {f"entries/{e.area}/{e.slug}.md": page(e, base) for e in base}


def page(entry: Entry, base: KnowledgeBase) -> str:
    """The Markdown of one entry."""
    return "\n\n".join(part for part in _parts(entry, base) if part) + "\n"


def fix_level(entry: Entry) -> str | None:
    """The best level of automatic fix that the examples show."""
    levels = {x.fix for x in entry.examples if x.bad is not None and x.fix}
    return next((level for level in ("safe", "unsafe", "display") if level in levels), None)


def _parts(entry: Entry, base: KnowledgeBase) -> Iterator[str]:
    yield _front_matter(entry, base)
    yield f"# {markdown(entry.title)}"
    yield _labels(entry)
    if entry.status == "retired":
        yield '!!! note "Retired"\n    This code is no longer reported. The page stays for old links.'
    if entry.status == "fixed-in":
        yield f'!!! success "Fixed in {markdown(entry.fixed_in or "")}"\n    Older versions still show it.'
    yield chinese.block(entry)
    yield from _seen(entry)
    yield "## Why it happens"
    yield paragraphs(entry.cause)
    # Whoever comes from the linter looks for the code first.
    yield from _code(entry)
    if entry.fixes:
        yield "## What to do"
        for number, fix in enumerate(entry.fixes, 1):
            yield from _fix(fix, entry, number)
    if entry.wrong_advice:
        yield "## What does not help"
        yield (
            '<ul class="wrong-advice">'
            + "".join(f"<li>{inline(w)}</li>" for w in entry.wrong_advice)
            + "</ul>"
        )
    yield "## Sources"
    yield "\n".join(
        f"- [{markdown(link_name(s.url))}](<{s.url}>): {inline(s.says)} <small>({inline(s.as_of)})</small>"
        for s in entry.sources
    )
    related = [e for name in entry.related if (e := base.find(name))]
    if related:
        yield "## Related"
        yield "\n".join(f"- [{e.code} {markdown(e.title)}](../{e.area}/{e.slug}.md)" for e in related)
    yield f'<p class="cli-hint">In a terminal: <code>amdlint rule {entry.code}</code></p>'


def _front_matter(entry: Entry, base: KnowledgeBase) -> str:
    """Title and description; the theme puts both into the page without escaping them."""
    title = html.escape(f"{entry.code} {entry.title}", quote=False)
    description = html.escape(" ".join(entry.cause.split())[:300])
    boost = ("search:", "  boost: 4") if _owns_a_quoted_line(entry, base) else ()
    return "\n".join(
        (
            "---",
            f"title: {json.dumps(title, ensure_ascii=False)}",
            f"description: {json.dumps(description, ensure_ascii=False)}",
            *boost,
            "---",
        )
    )


@lru_cache(maxsize=1)
def _logs(base: KnowledgeBase) -> dict[str, list[str]]:
    """Slug to the lines of the logs that an entry answers."""
    return {
        e.slug: [line for x in e.examples if x.log and x.match != "never" for line in x.log.splitlines()]
        for e in base
    }


def _owns_a_quoted_line(entry: Entry, base: KnowledgeBase) -> bool:
    """Whether at least three other pages quote a line that names this entry by itself: it comes first in the search."""
    own = [
        compile_signature(s) for s in entry.signatures if s.role == "cause" and not s.beside and not s.absent
    ]
    return any(
        sum(any(map(pattern.found_in, lines)) for slug, lines in _logs(base).items() if slug != entry.slug)
        >= 3
        for pattern in own
    )


def _labels(entry: Entry) -> str:
    found = [
        badge(entry.code, "code"),
        badge(entry.severity, entry.severity),
        badge(AREAS[entry.area], "area"),
    ]
    ranges = applies.badges(entry.applies)
    if ranges:
        found.append(ranges)
    if entry.rule:
        found.append(badge(f"found in {FOUND_IN[entry.rule]}", "seen"))
    if entry.signatures:
        found.append(badge("recognised in logs", "seen"))
    return f'<p class="labels">{" ".join(found)}</p>'


def _seen(entry: Entry) -> Iterator[str]:
    """Signatures and example logs: the text that the search of the site finds."""
    if not entry.signatures:
        return
    yield "## What you see"
    lines = list(
        dict.fromkeys(s.text or readable(s.regex or "") for s in entry.signatures if s.role != "hint")
    )
    hints = list(
        dict.fromkeys(s.text or readable(s.regex or "") for s in entry.signatures if s.role == "hint")
    )
    if lines:
        yield fence("\n".join(lines))
    if hints:
        yield "Beside it may stand:"
        yield fence("\n".join(hints))
    if any(s.beside or s.absent for s in entry.signatures):
        yield "<p>Other problems print the same line; amdlint tells them apart by what else stands in the log.</p>"
    logs = [x for x in entry.examples if x.log is not None and x.match != "never"]
    for number, example in enumerate(logs):
        title = "A log with it" if not number else "Another log"
        yield f'??? example "{title}"\n' + indent(fence(example.log or ""))


def _fix(fix: Fix, entry: Entry, number: int) -> Iterator[str]:
    yield f"### {f'{number}. ' if len(entry.fixes) > 1 else ''}{markdown(fix.summary)}"
    ranges = applies.badges(fix.applies)
    if ranges:
        yield f'<p class="labels">{ranges}</p>'
    values = Values(fix.applies, entry.applies)
    yield from (_step(step, values) for step in fix.steps)
    if fix.verify:
        yield "<p>Check that it worked:</p>"
        yield fence(values.fill(fix.verify), "bash" if "\n" not in fix.verify.strip() else "text")
    if values.used:
        yield f'<p class="as-of">Written for {values.used_for()}; <code>amdlint explain</code> fills in yours.</p>'
    if fix.caveat:
        yield '!!! warning "Keep in mind"\n' + indent(paragraphs(values.fill(fix.caveat)))


class Values:
    """Sample values for the placeholders of a fix, taken from the range in which it holds."""

    ROCM, TORCH = "7.2", "2.14"

    def __init__(self, *ranges: Applies) -> None:
        named = [
            sorted(facts.expand_gfx(r.gfx[0]), key=lambda g: (len(g), g)) for r in ranges if r.gfx != "all"
        ]
        self.gfx = named[0][-1] if named else "gfx942"
        self.used: set[str] = set()

    def fill(self, text: str) -> str:
        """The text with every placeholder replaced."""
        return HOLDER.sub(lambda m: self._value(m[1]), text)

    def used_for(self) -> str:
        """For what the values were taken."""
        parts = []
        if self.used & {"gfx", "override"}:
            parts.append(f"<code>{self.gfx}</code>")
        if self.used & {"rocm", "wheel_index"}:
            parts.append(f"ROCm {self.ROCM}")
        if "torch" in self.used:
            parts.append(f"torch {self.TORCH}")
        return " and ".join(parts)

    def _value(self, name: str) -> str:
        self.used.add(name)
        return {
            "gfx": self.gfx,
            "override": facts.override_for(self.gfx) or "10.3.0",
            "rocm": self.ROCM,
            "torch": self.TORCH,
            "wheel_index": facts.wheel_index(self.ROCM) or "",
        }[name]


def _step(step: Step, values: Values) -> str:
    if step.do:
        return paragraphs(values.fill(step.do))
    if step.run:
        return fence(values.fill(step.run), "bash")
    if step.env:
        lines = values.fill(step.env).strip().splitlines()
        return fence("\n".join(f"export {line}" if _assigns(line) else line for line in lines), "bash")
    if step.code:
        return fence(step.code, _guess(step.code))
    return fence(values.fill(step.config or ""))


def _assigns(line: str) -> bool:
    return bool(re.match(r"[A-Za-z_]\w*=", line))


def _guess(code: str) -> str:
    """The language of a code step: C++ where it looks like it, else Python."""
    return (
        "cuda" if any(mark in code for mark in ("#include", "#if", "__global__", ";\n", "//")) else "python"
    )


def _code(entry: Entry) -> Iterator[str]:
    """What the linter reports and how it rewrites it."""
    bad = [x for x in entry.examples if x.bad is not None]
    ok = [x for x in entry.examples if x.ok is not None]
    if not entry.rule or not (bad or ok):
        return
    yield "## In your code"
    level = fix_level(entry)
    if level:
        reason = f" {inline(entry.fix_safety)}" if entry.fix_safety else ""
        yield f"<p>{badge(f'fix: {level}', f'fix-{level}')} {LEVEL[level]}.{reason}</p>"
    elif entry.fix_safety:
        yield paragraphs(entry.fix_safety)
    for example in bad:
        yield from _example(example, entry)
    if ok:
        yield "Not reported, because it is right as it stands:"
        yield from (fence(x.ok or "", language_of(x, entry), title=x.path or "") for x in ok[:4])


def _example(example: Example, entry: Entry) -> Iterator[str]:
    language = language_of(example, entry)
    before = fence(example.bad or "", language, title=example.path or "", lines=example.lines)
    if example.fixed is None:
        yield before
    else:
        after = fence(example.fixed, language, title=example.path or "")
        level = f" ({example.fix})" if example.fix else ""
        # The exclamation mark begins a new set of tabs; neighbours would grow together without it.
        yield f'===! "Before"\n\n{indent(before)}\n\n=== "After{level}"\n\n{indent(after)}'
    if example.rewrite_note:
        yield paragraphs(example.rewrite_note)


def language_of(example: Example, entry: Entry) -> str:
    """Name of the highlighter's language for an example."""
    path = example.path or {"python": "example.py", "native": "example.cu"}.get(entry.rule or "", "")
    name = path.rpartition("/")[2]
    if name in NAME_LANGUAGE or name.startswith("Dockerfile"):
        return NAME_LANGUAGE.get(name, "docker")
    return SUFFIX_LANGUAGE.get("." + name.rpartition(".")[2] if "." in name else "", "text")
