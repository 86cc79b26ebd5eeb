"""Pages of entries and facts, piece by piece."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import pytest
from amdlint.kb import KnowledgeBase, load, translation
from amdlint.kb.model import Applies, Entry, Example, Fix, Signature, Source, Step

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))
from render import chinese, entries, facts, lists, patterns, prose, signatures

SOURCE = Source(
    url="https://github.com/pytorch/pytorch/issues/1", says="It <b>happens</b>.", as_of="torch 2.9"
)


def entry(**fields: object) -> Entry:
    given: dict[str, object] = {
        "code": "AMD1999",
        "title": "A `made-up` problem",
        "severity": "error",
        "cause": "First line\nof a paragraph with PYTORCH_ROCM_ARCH.\n\nSecond <script>.",
        "sources": (SOURCE,),
        "slug": "made-up",
        "area": "architecture",
        **fields,
    }
    return Entry(**given)  # type: ignore[arg-type]


def page(**fields: object) -> str:
    made = entry(**fields)
    return entries.page(made, KnowledgeBase([made]))


def test_text_of_an_entry_cannot_become_markup() -> None:
    text = page()
    assert "<script>" not in text
    assert (
        "<p>First line of a paragraph with <code>PYTORCH_ROCM_ARCH</code>.</p>\n<p>Second &lt;script&gt;.</p>"
        in text
    )
    assert "# A \\`made-up\\` problem" in text
    assert (
        "[pytorch/pytorch\\#1](<https://github.com/pytorch/pytorch/issues/1>): It &lt;b&gt;happens&lt;/b&gt;."
        in text
    )


def test_signatures_and_logs_stand_on_the_page() -> None:
    text = page(
        signatures=(
            Signature(text="HIP error: invalid device function"),
            Signature(
                regex=r"Cannot read .{1,200}TensileLibrary\.dat for gfx[0-9]{1,4}", beside=("gfx1031",)
            ),
            Signature(text="only a hint", role="hint"),
        ),
        examples=(
            Example(log="RuntimeError: HIP error: invalid device function"),
            Example(log="never shown", match="never"),
        ),
    )
    assert (
        "```text\nHIP error: invalid device function\nCannot read … TensileLibrary.dat for gfxN\n```" in text
    )
    assert "Beside it may stand:\n\n```text\nonly a hint\n```" in text
    assert "    RuntimeError: HIP error: invalid device function" in text
    assert "Other problems print the same line" in text
    assert "never shown" not in text


def test_a_fix_with_ranges_steps_and_filled_placeholders() -> None:
    fix = Fix(
        summary="Install the right wheel",
        applies=Applies(gfx=("gfx1031", "gfx1032"), rocm=">=6.0", os=("linux",)),
        steps=(
            Step(do="Unset it."),
            Step(run="pip install torch --index-url {wheel_index}"),
            Step(env="HSA_OVERRIDE_GFX_VERSION={override}"),
            Step(config="target = {gfx}"),
        ),
        verify="rocminfo",
        caveat="Only as long as it is set.",
    )
    text = page(fixes=(fix,))
    assert "### Install the right wheel" in text
    assert 'badge--gpu">gfx1031<' in text
    assert "ROCm &gt;=6.0" in text
    assert "Linux" in text
    assert "```bash\npip install torch --index-url https://download.pytorch.org/whl/rocm7.2\n```" in text
    assert "```bash\nexport HSA_OVERRIDE_GFX_VERSION=10.3.0\n```" in text
    assert "target = gfx1031" in text
    assert (
        "Written for <code>gfx1031</code> and ROCm 7.2; <code>amdlint explain</code> fills in yours." in text
    )
    assert "{" not in text.split("## What to do")[1].split("## Sources")[0]
    assert '!!! warning "Keep in mind"\n    <p>Only as long as it is set.</p>' in text


def test_chinese_prose_stands_folded_on_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    told = {
        "title": "内核 `f` 不存在",
        "cause": "第一行\n第二行 HIP\n第三行。\n\n另一段 <b>。",
        "fixes": ({"summary": "重新编译", "caveat": "很慢。", "do": ("先删除 build 目录。",)},),
        "wrong_advice": ("重启没有用。",),
    }
    made = Entry(
        code="AMD2998",
        title="No kernel f",
        severity="error",
        cause="Because.",
        sources=(),
        fixes=(
            Fix(summary="Build again", steps=(Step(do="Remove build."), Step(run="make")), caveat="Slow."),
        ),
        wrong_advice=("Rebooting.",),
        slug="made-up",
        area="toolkit",
    )
    encoded = msgspec.Raw(msgspec.msgpack.encode({"english": "", **told}))
    monkeypatch.setattr(translation, "_translations", lambda lang: {"made-up": encoded})
    assert chinese.block(made) == (
        '<details class="chinese" lang="zh-Hans" markdown="0" data-search-exclude>'
        "<summary>中文：内核 <code>f</code> 不存在</summary>"
        "<p>第一行第二行 HIP 第三行。</p><p>另一段 &lt;b&gt;。</p>"
        "<p><strong>解决办法</strong>（命令与代码见下文同序号的各节）</p>"
        "<ol><li><p>重新编译</p><p>先删除 build 目录。</p><p>注意：很慢。</p></li></ol>"
        "<p><strong>没有用的做法</strong></p><ul><li>重启没有用。</li></ul></details>"
    )
    monkeypatch.setattr(translation, "_translations", lambda lang: {})
    assert chinese.block(made) == ""


def test_before_and_after_of_a_lint_example() -> None:
    text = page(
        rule="python",
        fix_safety="NVIDIA sees the same value.",
        examples=(
            Example(bad="a = 1\nb = 2\n", lines=(2,), fixed="a = 1\nb = 3\n", fix="safe"),
            Example(ok="c = 4\n"),
            Example(bad="FROM x\n", path="docker/Dockerfile"),
        ),
    )
    assert '===! "Before"\n\n    ```python hl_lines="2"\n    a = 1\n    b = 2\n    ```' in text
    assert '=== "After (safe)"\n\n    ```python\n    a = 1\n    b = 3\n    ```' in text
    assert "fix: safe" in text
    assert "NVIDIA sees the same value." in text
    assert '```docker title="docker/Dockerfile"\nFROM x\n```' in text
    assert "Not reported, because it is right as it stands:\n\n```python\nc = 4\n```" in text
    assert text.index("## In your code") < text.index("## Sources")


def test_every_before_has_its_own_after() -> None:
    one = Example(bad="a = 1\n", fixed="a = 2\n", fix="safe")
    text = page(rule="python", examples=(one, one))
    import markdown

    html = markdown.markdown(
        text,
        extensions=["pymdownx.superfences", "pymdownx.tabbed"],
        extension_configs={"pymdownx.tabbed": {"alternate_style": True}},
    )
    assert html.count('class="tabbed-set') == 2
    assert html.count("<label") == 4


def test_a_fixed_and_a_retired_entry_say_so() -> None:
    assert '!!! success "Fixed in torch 2.9"' in page(status="fixed-in", fixed_in="torch 2.9")
    assert '!!! note "Retired"' in page(status="retired")


def test_related_entries_are_linked() -> None:
    other = entry(code="AMD2999", slug="other", area="toolkit", title="Another")
    made = entry(related=("other",))
    assert "- [AMD2999 Another](../toolkit/other.md)" in entries.page(made, KnowledgeBase([made, other]))


@pytest.mark.parametrize(
    ("regex", "text"),
    [
        (
            r"Cannot read .{1,200}TensileLibrary\.dat.{0,60}for GPU arch : gfx103[1-5]",
            "Cannot read … TensileLibrary.dat … for GPU arch : gfx103[1-5]",
        ),
        (r"rank [0-9]{1,4} failed", "rank N failed"),
        (r"error: \d+ bytes", "error: N bytes"),
        (r"(?:foo|bar) baz", "(foo | bar) baz"),
        (r"colou?r", "color"),
        (r"module '[^']{1,40}' has", "module '…' has"),
        (r"a{3}b", "aaab"),
        (r"^start$", "start"),
        ("[", "["),
    ],
)
def test_readable(regex: str, text: str) -> None:
    assert (
        patterns.readable(regex).replace(" … ", " … ") == text
        or patterns.readable(regex).replace(" … ", "…") == text
    )


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("a < b & c", "a &lt; b &amp; c"),
        ("call torch.cuda.is_available() first", "call <code>torch.cuda.is_available()</code> first"),
        ("set HSA_XNACK=1.", "set <code>HSA_XNACK=1</code>."),
        ("on gfx942, not gfx90a", "on <code>gfx942</code>, not <code>gfx90a</code>"),
        ("pass --index-url", "pass <code>--index-url</code>"),
        ("`a b` is code", "<code>a b</code> is code"),
        (
            "see https://example.org/x_y.",
            'see <a href="https://example.org/x_y">https://example.org/x_y</a>.',
        ),
        ("well-known, 3-4 words", "well-known, 3-4 words"),
        ("in /dev/kfd", "in <code>/dev/kfd</code>"),
        ("hipMallocManaged works", "<code>hipMallocManaged</code> works"),
    ],
)
def test_inline(text: str, html: str) -> None:
    assert prose.inline(text) == html


def test_plain_text_in_markdown() -> None:
    import markdown

    for text in ("<mma.h> and 1 << lane", "a_b*c `d` [e](f) #g {h} \\ & | ~ $"):
        html = markdown.markdown(f"# {prose.markdown(text)}")
        assert html == f"<h1>{text.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')}</h1>"


def test_a_fence_is_longer_than_the_backticks_inside() -> None:
    assert prose.fence("a\n```\nb") == "````text\na\n```\nb\n````"


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://github.com/ROCm/HIPIFY/issues/12", "ROCm/HIPIFY#12"),
        ("https://github.com/ROCm/apex/commit/ff232fb8505e4343e03c1603b972c74f63c6bcd0", "ROCm/apex@ff232fb"),
        ("https://github.com/a/b/blob/main/x/y.py", "a/b: y.py"),
        (
            "https://rocm.docs.amd.com/en/docs-10.1.0/about/release-notes.html",
            "rocm.docs.amd.com: release-notes.html",
        ),
        ("https://pypi.org", "pypi.org"),
    ],
)
def test_link_name(url: str, name: str) -> None:
    assert prose.link_name(url) == name


def test_lists_name_every_entry() -> None:
    base = load()
    pages = lists.pages(base)
    for e in base:
        for listing in ("entries/index.md", f"entries/{e.area}/index.md"):
            assert f"/{e.area}/{e.slug}/" in pages[listing]
    named = [uri for part in lists.navigation(base) for uris in part.values() for uri in uris]
    assert sorted(named) == sorted({*entries.pages(base), *(p for p in pages if p != "entries/index.md")})


def test_tables_hold_every_fact() -> None:
    from amdlint.kb import facts as known

    pages = facts.pages()
    for t in known.targets():
        assert f'id="{t.gfx}"' in pages["facts/gpus.md"]
    for card in known.cards():
        assert card.name in pages["facts/gpus.md"]
    for wheel in known.gpu_facts().wheels:
        assert wheel.url in pages["facts/wheels.md"]
    for release in known.release_facts().releases:
        assert f'id="rocm-{release.version}"' in pages["facts/rocm.md"]
    for var in known.env_facts().env_vars:
        assert var.name.partition("<")[0] in pages["facts/environment.md"]
    for package in known.package_facts().packages:
        assert f"<strong>{package.name}</strong>" in pages["facts/packages.md"]


def test_signatures_as_data_for_the_browser() -> None:
    import json

    made = entry(
        applies=Applies(gfx=("rdna4",)),
        signatures=(
            Signature(text="boom"),
            Signature(regex="ba.{0,4}ng", role="symptom", needs="nothing", beside=("x",), absent=("/y/",)),
        ),
    )
    retired = entry(code="AMD1998", slug="old", status="retired", signatures=(Signature(text="old"),))
    assert json.loads(signatures.data(KnowledgeBase([made, retired]))) == [
        [
            "AMD1999",
            "A `made-up` problem",
            "entries/architecture/made-up/",
            ["gfx1200", "gfx1201"],
            [["boom", 0, 0, 1, [], []], ["ba.{0,4}ng", 1, 1, 0, ["x"], ["/y/"]]],
        ]
    ]
