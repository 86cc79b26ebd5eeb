"""Plain text of entries and facts as HTML and Markdown that cannot break the page."""

from __future__ import annotations

import html
import re

CODE = re.compile(
    r"""
    `(?P<tick>[^`]+)`
    | (?P<url>https?://[^\s<>"')\]]+[^\s<>"')\].,;:])
    | (?P<code>
        (?<![\w./-])
        (?: --?[A-Za-z][\w-]*(?:=[^\s,;]*[^\s,;.)])?          # options
          | [A-Za-z_][\w.:]*\([^()\s]{0,40}\)                 # calls
          | [A-Za-z_]\w*(?:::\w+)+                            # C++ names
          | (?:[A-Za-z]\w*\.)+[A-Za-z_]\w*_\w+                # dotted names
          | torch\.[\w.]*\w
          | [A-Za-z]\w*_\w+(?:=[^\s,;]*[^\s,;.)])?            # snake_case and VARIABLES=values
          | __\w+
          | (?:hip|cuda|cu|cublas|hipblas|nccl|hipError)[A-Z]\w+ # names of the APIs
          | /(?:dev|opt|etc|usr|proc|sys|var|tmp)/[\w./+*-]*\w
          | gfx[0-9][0-9a-z]*\*?
          | \.(?:yaml|toml|json|py|cu|cuh|so)\b
        )
        (?![\w])
      )
    """,
    re.VERBOSE,
)


def inline(text: str) -> str:
    """One line of plain text as HTML, with names of code set as code and addresses as links."""
    out, at = [], 0
    for match in CODE.finditer(text):
        out.append(html.escape(text[at : match.start()], quote=False))
        at = match.end()
        if match["url"]:
            url = html.escape(match["url"])
            out.append(f'<a href="{url}">{url}</a>')
        else:
            out.append(f"<code>{html.escape(match['tick'] or match['code'], quote=False)}</code>")
    out.append(html.escape(text[at:], quote=False))
    return "".join(out)


def paragraphs(text: str) -> str:
    """Plain text as HTML paragraphs; lines that start with "- " become a list."""
    blocks = []
    for block in re.split(r"\n\s*\n", text.strip()):
        lines = block.splitlines()
        if all(line.startswith("- ") for line in lines):
            blocks.append("<ul>" + "".join(f"<li>{inline(line[2:])}</li>" for line in lines) + "</ul>")
        else:
            blocks.append(f"<p>{inline(' '.join(line.strip() for line in lines))}</p>")
    return "\n".join(blocks)


def markdown(text: str) -> str:
    """Plain text inside Markdown: nothing in it is markup."""
    return re.sub(r"([\\`*_{}\[\]#])", r"\\\1", html.escape(text, quote=False))


def fence(text: str, language: str = "text", *, title: str = "", lines: tuple[int, ...] = ()) -> str:
    """A code block. The fence is longer than any run of backticks inside."""
    body = text.rstrip("\n")
    longest = max((len(run) for run in re.findall(r"`+", body)), default=0)
    ticks = "`" * max(3, longest + 1)
    options = language
    if title:
        options += f' title="{html.escape(title)}"'
    if lines:
        options += f' hl_lines="{" ".join(map(str, lines))}"'
    return f"{ticks}{options}\n{body}\n{ticks}"


def indent(text: str, by: int = 4) -> str:
    """Markdown inside an admonition or a list."""
    return "\n".join(" " * by + line if line else line for line in text.splitlines())


def badge(text: str, kind: str, title: str = "") -> str:
    """A small label."""
    tip = f' title="{html.escape(title)}"' if title else ""
    return f'<span class="badge badge--{kind}"{tip}>{html.escape(text)}</span>'


def link_name(url: str) -> str:
    """A short, telling name for an address: repository and number, or host and last part of the path."""
    bare = re.sub(r"^https?://(www\.)?", "", url).rstrip("/")
    found = re.match(r"github\.com/([\w.-]+/[\w.-]+)/(?:issues|pull|discussions)/(\d+)", bare)
    if found:
        return f"{found[1]}#{found[2]}"
    found = re.match(r"github\.com/([\w.-]+/[\w.-]+)/commit/([0-9a-f]{7})", bare)
    if found:
        return f"{found[1]}@{found[2]}"
    found = re.match(r"github\.com/([\w.-]+/[\w.-]+)/(?:blob|tree)/[^/]+/(?:.*/)?([\w.+-]+)$", bare)
    if found:
        return f"{found[1]}: {found[2]}"
    host, _, path = bare.partition("/")
    last = path.rpartition("/")[2]
    return f"{host}: {last}" if last else host


def source_links(urls: tuple[str, ...]) -> str:
    """Numbered links to sources, for narrow table cells."""
    return " ".join(
        f'<a href="{html.escape(u)}" title="{html.escape(link_name(u))}">{i}</a>'
        for i, u in enumerate(urls, 1)
    )
