"""Tables of facts: GPUs, wheels, ROCm releases, environment variables, packages, CUDA names."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from amdlint.kb import facts
from amdlint.kb.facts import cuda
from amdlint.kb.facts.model import Meta, Target

from .prose import badge, inline, markdown, paragraphs, source_links

YES, NO, UNKNOWN = '<span class="yes">yes</span>', '<span class="no">no</span>', "?"
KINDS = {
    "instinct": "AMD Instinct",
    "radeon_pro": "AMD Radeon PRO",
    "radeon": "AMD Radeon",
    "ryzen_apu": "AMD Ryzen with Radeon graphics",
}


def pages() -> dict[str, str]:
    """Address in docs/ to Markdown."""
    return {
        "facts/gpus.md": gpus(),
        "facts/wheels.md": wheels(),
        "facts/rocm.md": rocm(),
        "facts/environment.md": environment(),
        "facts/packages.md": packages(),
        "facts/cuda.md": cuda_names(),
    }


def table(head: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> str:
    """A table with a filter box above it; cells are HTML."""
    body = "\n".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    heads = "".join(f"<th>{h}</th>" for h in head)
    return (
        '<div class="filtered" markdown="0"><input class="filter" type="search" placeholder="Filter this table" '
        'aria-label="Filter this table">\n'
        f'<div class="wide"><table class="facts {kind}"><thead><tr>{heads}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div></div>'
    )


def small_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table without a filter."""
    body = "\n".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    heads = "".join(f"<th>{h}</th>" for h in head)
    return f'<div class="wide" markdown="0"><table class="facts"><thead><tr>{heads}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>'


def head(title: str, text: str, meta: Meta | None = None) -> str:
    """Title, introduction and the age of the facts."""
    out = f"---\ntitle: {title}\nhide:\n  - toc\n---\n\n# {title}\n\n{text}\n"
    if meta:
        out += f'\n<p class="as-of">Compiled {meta.compiled}, as of {html.escape(meta.as_of)}. {inline(meta.note)}</p>\n'
    return out


def tick(value: bool | None) -> str:
    return UNKNOWN if value is None else YES if value else NO


def span_of_wheels(t: Target) -> str:
    """From which to which official wheel the target is compiled in."""
    found = facts.wheels_with(t.gfx)
    if not found:
        return NO
    first, last = found[0], found[-1]
    return f"torch {first.torch} (rocm{first.rocm}) to {last.torch} (rocm{last.rocm})"


def gpus() -> str:
    content = facts.gpu_facts()
    text = head(
        "GPUs and gfx targets",
        "A program runs on a *gfx target*, not on a product name: wheels, libraries and kernels are compiled for targets. "
        "`rocminfo` and `torch.cuda.get_device_properties(0).gcnArchName` print yours. "
        "`amdlint query RX 7900 XTX` gives the same in a terminal.",
        content.meta,
    )
    text += "\n## Targets\n\n"
    products: dict[str, list[str]] = {}
    for card in content.cards:
        products.setdefault(card.gfx, []).append(
            (card.igpu or card.name).removeprefix("AMD ").removeprefix("Radeon ").removeprefix("Instinct ")
        )
    rows = []
    # The targets of today come first.
    for t in sorted(content.targets, key=lambda t: t.gfx not in facts.CURRENT_TARGETS):
        names = list(dict.fromkeys(products.get(t.gfx, [])))
        shown = ", ".join(names[:5]) + (" …" if len(names) > 5 else "")
        rows.append(
            (
                f'<code id="{t.gfx}">{t.gfx}</code>',
                html.escape(t.generation),
                html.escape(shown),
                str(t.wavefront),
                f"({t.capability[0]}, {t.capability[1]})",
                f"{t.lds_kib} KiB" if t.lds_kib else UNKNOWN,
                html.escape(t.matrix),
                {
                    "none": NO,
                    "unknown": UNKNOWN,
                    "fnuz": badge("FNUZ", "version"),
                    "ocp": badge("OCP", "version"),
                }[t.fp8],
                inline(t.bf16 or UNKNOWN),
                inline(t.sdpa),
                span_of_wheels(t),
                f"<code>{t.override}</code>" if t.override else "",
                source_links(t.sources),
            )
        )
    text += table(
        (
            "Target",
            "Generation",
            "Products",
            "Wave&shy;front",
            "Capa&shy;bility",
            "LDS",
            "Matrix unit",
            "fp8",
            "bf16",
            "Fused attention (SDPA)",
            "Official wheels",
            "Over&shy;ride",
            "Sources",
        ),
        rows,
        "targets",
    )
    text += (
        '\n\n<p class="as-of">Capability: what <code>torch.cuda.get_device_capability()</code> answers. LDS: shared memory of one workgroup. '
        "Override: the <code>HSA_OVERRIDE_GFX_VERSION</code> that lets the card use kernels of a relative; a last resort, which hides native kernels where they exist.</p>\n"
    )
    text += "\n## Often misread\n\n"
    text += "\n".join(f"- {inline(t.text)} {source_links(t.sources)}" for t in content.traps) + "\n"
    text += "\n## Products\n\nWhether AMD lists the product for ROCm 10.x, by system.\n\n"
    for kind, heading in KINDS.items():
        members = [c for c in content.cards if c.kind == kind]
        text += f"\n### {heading}\n\n"
        text += table(
            (
                "Product",
                "Target",
                "Memory",
                "CUs",
                "Linux",
                "Windows",
                "WSL2",
                "First in the Linux list",
                "Note",
                "Sources",
            ),
            (
                (
                    html.escape(c.name + (f" ({c.igpu})" if c.igpu and c.igpu not in c.name else "")),
                    f"<code>{c.gfx}</code>",
                    html.escape(c.memory or UNKNOWN),
                    str(c.compute_units or UNKNOWN),
                    tick(c.linux),
                    tick(c.windows),
                    tick(c.wsl2),
                    html.escape(c.first_linux or ""),
                    inline("; ".join(x for x in (c.note, c.linux_note if not c.linux else None) if x)),
                    source_links(c.sources),
                )
                for c in members
            ),
        )
        text += "\n"
    return text


def wheels() -> str:
    content = facts.gpu_facts()
    order = [t.gfx for t in content.targets if any(t.gfx in w.targets for w in content.wheels)]
    text = head(
        "PyTorch ROCm wheels",
        "Which gfx targets the official wheels of download.pytorch.org contain. A dot says that torch's own kernels were "
        "compiled for the target; the libraries inside the wheel may still lack it.\n\n"
        "Install with, for instance, `pip install torch --index-url https://download.pytorch.org/whl/rocm7.2`. "
        "Do not mix it with `--extra-index-url` and PyPI: pip may then take the CUDA build.",
        content.meta,
    )
    dot = '<span class="yes" title="{}">●</span>'
    text += "\n## Official wheels\n\n" + table(
        (
            "torch",
            "Index",
            *(f'<span class="upright">{g}</span>' for g in order),
            "Python",
            "How we know",
            "Sources",
        ),
        (
            (
                f"<strong>{w.torch}</strong>",
                f'<a href="{w.url}">rocm{w.rocm}</a>',
                *(dot.format(g) if g in w.targets else "" for g in order),
                html.escape(w.python),
                inline(w.confidence + (f". {w.note}" if w.note else "")),
                source_links(w.sources),
            )
            for w in reversed(content.wheels)
        ),
        "wheels",
    )
    text += "\n\n## AMD's own indexes\n\n" + small_table(
        ("Index", "Install", "Targets", "Note", "Sources"),
        (
            (
                f"{html.escape(i.name)}<br><code>{html.escape(i.url)}</code>",
                f"<code>{html.escape(i.install)}</code>" if i.install else "",
                ", ".join(i.targets),
                inline(i.note),
                source_links(i.sources),
            )
            for i in content.amd_indexes
        ),
    )
    return text + "\n"


def rocm() -> str:
    content = facts.release_facts()
    text = head(
        "ROCm releases",
        "What each release supports, with the PyTorch versions that AMD tested or built for it and the wheel index of pytorch.org.",
        content.meta,
    )
    rows = []
    for r in content.releases:
        name = r.version + (f" to {r.through}" if r.through else "")
        torch = r.pytorch or r.pytorch_instinct
        index = facts.wheel_index(r.version)
        rows.append(
            (
                f'<strong id="rocm-{r.version}">{name}</strong>',
                html.escape(r.released or UNKNOWN),
                inline(r.stream_note),
                html.escape(", ".join(torch)),
                f'<a href="{index}">{index.rpartition("/")[2]}</a>' if index else NO,
                ", ".join(f"<code>{html.escape(g)}</code>" for g in r.gfx),
                html.escape("; ".join(r.os or r.os_instinct))
                + (f"<br><small>driver {html.escape(r.driver)}</small>" if r.driver else ""),
                source_links(r.sources),
            )
        )
    text += "\n## Releases\n\n" + table(
        (
            "ROCm",
            "Released",
            "Stream",
            "PyTorch (AMD)",
            "pytorch.org index",
            "gfx in the support list",
            "Systems",
            "Sources",
        ),
        rows,
        "releases",
    )
    text += "\n\n## What changed\n\n"
    for r in content.releases:
        points = [
            (label, values)
            for label, values in (
                ("Breaking", r.breaking),
                ("Known issues", r.known_issues),
                ("Fixed", r.fixed),
                ("New GPUs", r.new_gpus),
                ("Notes", r.notes),
            )
            if values
        ]
        if not points:
            continue
        text += f"### {markdown(r.version)}\n\n"
        for label, values in points:
            text += f"**{label}**\n\n" + "\n".join(f"- {inline(v)}" for v in values) + "\n\n"
    text += "## Driver and user space\n\n" + small_table(
        ("Rule", "Holds", "Sources"),
        (
            (
                inline(d.rule),
                html.escape(
                    " ".join(
                        x
                        for x in (
                            f"since {d.since}" if d.since else "",
                            f"until {d.until}" if d.until else "",
                        )
                        if x
                    )
                ),
                source_links(d.sources),
            )
            for d in content.driver_rules
        ),
    )
    text += "\n\n## Dropped\n\n" + small_table(
        ("What", "Last", "Sources"),
        ((inline(d.item), inline(d.last), source_links(d.sources)) for d in content.dropped),
    )
    text += "\n\n## Wheel indexes of pytorch.org\n\n" + small_table(
        ("Index", "Stable torch", "Platform", "Sources"),
        (
            (
                f'<a href="{i.url}">rocm{i.rocm}</a>',
                ", ".join(i.torch),
                html.escape(i.platform),
                source_links(i.sources),
            )
            for i in reversed(content.pytorch_indexes)
        ),
    )
    return text + "\n"


def environment() -> str:
    content = facts.env_facts()
    text = head(
        "Environment variables",
        "Variables that ROCm, PyTorch, RCCL and the libraries around them read. `amdlint query NAME` gives the same in a terminal.",
        content.meta,
    )
    groups = groupby(
        sorted(content.env_vars, key=lambda v: v.component.split(" ")[0].lower()),
        key=lambda v: v.component.split(" ")[0],
    )
    for component, members in groups:
        text += f"\n## {markdown(component)}\n\n" + small_table(
            ("Variable", "Does", "Default", "Read", "Careful", "Sources"),
            (
                (
                    f"<code>{html.escape(v.name)}</code>"
                    + "".join(f"<br><small>CUDA: {html.escape(n)}</small>" for n in v.cuda_names),
                    inline(v.does),
                    inline(v.default),
                    {"run": "at run time", "build": "while building"}[v.scope]
                    + (f"<br><small>since {html.escape(v.since)}</small>" if v.since else "")
                    + (f"<br><small>{html.escape(v.until)}</small>" if v.until else ""),
                    inline(v.danger or ""),
                    source_links(v.sources),
                )
                for v in members
            ),
        )
        text += "\n"
    text += "\n## Options of PYTORCH_ALLOC_CONF\n\n" + small_table(
        ("Option", "On ROCm", "Meaning", "Default", "Note", "Sources"),
        (
            (
                f"<code>{html.escape(o.option)}</code>",
                inline(o.rocm),
                inline(o.meaning),
                inline(o.default),
                inline(o.note or ""),
                source_links(o.sources),
            )
            for o in content.alloc_conf_options
        ),
    )
    text += "\n\n## Kernel and system settings\n\n" + small_table(
        ("Setting", "Kind", "Does", "Sources"),
        (
            (
                f"<code>{html.escape(s.name)}</code>",
                html.escape(s.kind),
                inline(s.does),
                source_links(s.sources),
            )
            for s in content.system_settings
        ),
    )
    return text + "\n"


STATUS = {
    "yes": badge("works", "fix-safe"),
    "partly": badge("partly", "warning"),
    "fork": badge("AMD fork", "warning"),
    "source": badge("build it", "warning"),
    "retired": badge("retired", "error"),
    "no": badge("no", "error"),
}


def packages() -> str:
    content = facts.package_facts()
    text = head(
        "Packages",
        "Python packages and tools of the CUDA world on ROCm: whether they work, how to install them, and what goes wrong.",
        content.meta,
    )
    text += "\n## Packages and tools\n\n" + table(
        ("Package", "Install", "What to know", "Sources"),
        (
            (
                f"<strong>{html.escape(p.name)}</strong> {STATUS[p.rocm]}"
                + (f"<br><small>{html.escape(p.rocm_note)}</small>" if p.rocm_note else "")
                + (f"<br><small>also {html.escape(', '.join(p.aliases))}</small>" if p.aliases else ""),
                _install(p.install) + (f"<br>instead: {inline(p.use_instead)}" if p.use_instead else ""),
                "<ul>"
                + "".join(
                    f"<li>{inline(t)}</li>"
                    for t in (
                        *((f"since {p.since}",) if p.since else ()),
                        *((p.notes,) if p.notes else ()),
                        *p.traps,
                    )
                )
                + "</ul>",
                source_links(p.sources),
            )
            for p in content.packages
        ),
        "packages",
    )
    text += "\n\n## From NVIDIA's names to AMD's\n\n" + small_table(
        ("NVIDIA", "AMD", "Since", "Sources"),
        (
            (html.escape(t.nvidia), inline(t.amd), html.escape(t.since or ""), source_links(t.sources))
            for t in content.nvidia_to_amd
        ),
    )
    return text + "\n"


def _install(text: str | None) -> str:
    """Commands as code, sentences as text."""
    if not text:
        return ""
    parts = re.split(r"\s+\|\s+|\s{2,}", text)
    return "<br>".join(
        f"<code>{html.escape(p)}</code>" if re.match(r"(pip|uv|cmake) ", p) else inline(p) for p in parts
    )


def cuda_names() -> str:
    meta = cuda.cuda_meta()
    text = head(
        "CUDA names",
        f"What CUDA's names are called in HIP. The {len(cuda.cuda_names()):,} names themselves come from the tables of "
        f"[HIPIFY]({meta['source']}) (commit `{meta['commit'][:12]}` of {meta['date']}, ROCm {meta['rocm']}, CUDA {meta['cuda']}; licence {meta['licence']}) "
        "and are looked up with `amdlint query cudaMallocAsync`. The tables below hold what needs more than a new spelling.",
    )
    text += "\n## Names that need words\n\n" + table(
        ("CUDA", "On ROCm", "What to know", "Sources"),
        (
            (
                f"<code>{html.escape(i.name)}</code>"
                + "".join(f"<br><small><code>{html.escape(a)}</code></small>" for a in i.aliases[:6]),
                {
                    "same": badge("same", "fix-safe"),
                    "renamed": badge("renamed", "version"),
                    "differs": badge("differs", "warning"),
                    "none": badge("none", "error"),
                }[i.rocm]
                + (f"<br><code>{html.escape(i.hip)}</code>" if i.hip else "")
                + (f"<br><small>{html.escape(i.library)}</small>" if i.library else ""),
                inline(i.says) + (f" <small>(ROCm {html.escape(i.since)})</small>" if i.since else ""),
                source_links(i.sources),
            )
            for i in cuda.intrinsic_facts().intrinsics
        ),
    )
    flags = cuda.flag_facts()
    text += f"\n\n## Options of nvcc\n\n{paragraphs(flags.meta.note)}\n\n" + table(
        ("nvcc", "clang / hipcc", "Does", "Write instead", "Note"),
        (
            (
                "<br>".join(f"<code>{html.escape(n)}</code>" for n in (f.flag, *f.spellings)),
                {
                    "same": badge("same", "fix-safe"),
                    "refused": badge("refused", "error"),
                    "ignored": badge("ignored", "warning"),
                    "trap": badge("trap", "error"),
                }[f.on_rocm],
                inline(f.does),
                inline(f.instead),
                inline(f.note or ""),
            )
            for f in flags.flags
        ),
    )
    text += "\n\n## Libraries\n\n" + small_table(
        ("CUDA", "ROCm", "Names known", "With a counterpart"),
        (
            (html.escape(c), html.escape(a), f"{known:,}", f"{twins:,}")
            for c, a, known, twins in cuda.library_counts()
        ),
    )
    return text + "\n"
