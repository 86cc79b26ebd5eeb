"""The Simplified Chinese prose of an entry, folded up on its page. Commands and code stand once, in the English part."""

from __future__ import annotations

from collections.abc import Iterator

from amdlint.kb.model import Entry, Fix
from amdlint.kb.translation import flat, translated

from .prose import inline


def block(entry: Entry) -> str:
    """The block, or nothing where there is no translation. The page's script opens it for Chinese browsers."""
    told = translated(entry, "zh")
    if told is entry:
        return ""
    return (
        f'<details class="chinese" lang="zh-Hans" markdown="0" data-search-exclude><summary>中文：{inline(told.title)}</summary>'
        + "".join(_parts(told))
        + "</details>"
    )


def _parts(told: Entry) -> Iterator[str]:
    yield _paragraphs(told.cause)
    if told.fixes:
        yield "<p><strong>解决办法</strong>（命令与代码见下文同序号的各节）</p><ol>"
        yield from (f"<li>{''.join(_fix(fix))}</li>" for fix in told.fixes)
        yield "</ol>"
    if told.wrong_advice:
        yield "<p><strong>没有用的做法</strong></p><ul>"
        yield from (f"<li>{inline(flat(advice))}</li>" for advice in told.wrong_advice)
        yield "</ul>"


def _fix(fix: Fix) -> Iterator[str]:
    yield f"<p>{inline(flat(fix.summary))}</p>"
    yield from (_paragraphs(step.do) for step in fix.steps if step.do)
    if fix.caveat:
        yield _paragraphs(f"注意：{fix.caveat}")


def _paragraphs(text: str) -> str:
    return "".join(f"<p>{inline(flat(part))}</p>" for part in text.strip().split("\n\n"))
