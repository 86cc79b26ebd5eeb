"""MkDocs hook: the pages that come from the knowledge base, written while the site is built."""

from __future__ import annotations

from typing import Any

from amdlint.kb import load
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from render import entries, facts, lists, signatures  # next to this file


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add one page for every entry, the lists of entries and the tables of facts."""
    pages: dict[str, str] = {}
    base = load()
    pages |= entries.pages(base)
    pages |= lists.pages(base)
    pages |= facts.pages()
    for uri, text in sorted(pages.items()):
        files.append(File.generated(config, uri, content=text))
    files.append(File.generated(config, "assets/signatures.json", content=signatures.data(base)))
    config.nav = _nav(config.nav, base)
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """The home page lists the areas."""
    return (
        markdown.replace("\nAREAS\n", f"\n{lists.cards(load())}\n")
        if page.file.src_uri == "index.md"
        else markdown
    )


def _nav(nav: Any, base: Any) -> Any:
    """The navigation of mkdocs.yml with the areas and their entries put in place of ``ENTRIES``."""

    def walk(part: Any) -> Any:
        if isinstance(part, list):
            return [item for p in part for item in (lists.navigation(base) if p == "ENTRIES" else [walk(p)])]
        if isinstance(part, dict):
            return {title: walk(inner) for title, inner in part.items()}
        return part

    return walk(nav)
