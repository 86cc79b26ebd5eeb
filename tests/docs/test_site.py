"""The whole site: it builds strictly, nothing in it leads nowhere or abroad, and a pasted error finds its page."""

from __future__ import annotations

import functools
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pytest
from amdlint.kb import load

pytestmark = pytest.mark.slow  # the same on every Python

ROOT = Path(__file__).parents[2]
SITE_URL = "https://amdlint.github.io/amdlint/"


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site."""
    pytest.importorskip("material", reason="mkdocs-material is not installed (extra: docs)")
    out = tmp_path_factory.mktemp("site")
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(out)],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return out


class Links(HTMLParser):
    """Everything that a page links to or loads, and the anchors it has."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {k: v or "" for k, v in attrs}
        if "id" in given:
            self.ids.add(given["id"])
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in ("script", "img", "iframe", "source", "video") and "src" in given:
            self.loads.append(given["src"])
        if tag == "link" and given.get("rel") not in ("canonical", "prev", "next", "alternate"):
            self.loads.append(given.get("href", ""))


@pytest.fixture(scope="session")
def parsed(site: Path) -> dict[str, Links]:
    """Every page by its path below the site."""
    found = {}
    for file in site.rglob("*.html"):
        links = Links()
        links.feed(file.read_text("utf-8"))
        found[file.relative_to(site).as_posix()] = links
    return found


def test_nothing_is_loaded_from_other_hosts(site: Path, parsed: dict[str, Links]) -> None:
    for page, links in parsed.items():
        for address in links.loads:
            assert not urlsplit(address).netloc, f"{page} loads {address}"
    for style in site.rglob("*.css"):
        assert not re.search(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//", style.read_text("utf-8")), style
    assert "http" not in (site / "assets" / "site.js").read_text("utf-8")


def test_every_link_inside_the_site_leads_somewhere(site: Path, parsed: dict[str, Links]) -> None:
    wrong = []
    for page, links in parsed.items():
        if page == "404.html":
            continue
        for href in links.links:
            if urlsplit(href).scheme or href.startswith("//"):
                continue
            address, anchor = urldefrag(urljoin(f"http://site/{page}", href))
            path = unquote(urlsplit(address).path).lstrip("/")
            target = path + "index.html" if path.endswith("/") or not path else path
            if not (site / target).is_file():
                wrong.append(f"{page} -> {href}")
            elif anchor and target in parsed and unquote(anchor) not in parsed[target].ids:
                wrong.append(f"{page} -> {href}: no such place on the page")
    assert wrong == []


def test_every_entry_has_its_page_at_its_address(site: Path) -> None:
    for entry in load():
        assert entry.url.startswith(SITE_URL)
        file = site / entry.url.removeprefix(SITE_URL) / "index.html"
        assert file.is_file(), entry.url
        assert f">{entry.code}<" in file.read_text("utf-8")


def test_the_search_index_holds_every_literal_signature(site: Path) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text("utf-8"))
    texts: dict[str, str] = {}
    for doc in index["docs"]:
        page = doc["location"].partition("#")[0]
        texts[page] = texts.get(page, "") + " " + doc["text"]
    plain = {page: normal(text) for page, text in texts.items()}
    missing = [
        f"{entry.code}: {signature.text}"
        for entry in load()
        for signature in entry.signatures
        if signature.text and normal(signature.text) not in plain[entry.url.removeprefix(SITE_URL)]
    ]
    assert missing == []


def normal(text: str) -> str:
    """Text without markup, entities and differences of white space."""
    import html

    return " ".join(
        html.unescape(re.sub(r"<[^>]+>", " ", text) if "<p>" in text or "<code>" in text else text).split()
    )


# --- in a browser

Browser = Any


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """The site, served on this machine."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Headless Chromium with a fresh profile."""
    chromium = next(
        (p for n in ("chromium", "chromium-browser", "google-chrome") if (p := shutil.which(n))), None
    )
    driver = shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("no Chromium with chromedriver on this machine")
    selenium = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    service = pytest.importorskip("selenium.webdriver.chrome.service")
    options = selenium.ChromeOptions()
    options.binary_location = chromium
    for argument in (
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-dev-shm-usage",
        "--window-size=1300,1000",
        f"--user-data-dir={tmp_path_factory.mktemp('profile')}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    running = selenium.Chrome(options=options, service=service.Service(driver))
    yield running
    running.quit()


def wait(condition: Callable[[], Any], what: str) -> Any:
    """The first true value of the condition."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.1)
    raise AssertionError(f"waited in vain for {what}")


def find(browser: Browser, selector: str) -> Any:
    return browser.find_element("css selector", selector)


@pytest.mark.browser
@pytest.mark.parametrize(
    ("line", "slug"),
    [
        (
            "rocBLAS error: Cannot read /opt/rocm/lib/rocblas/library/TensileLibrary.dat: Illegal seek for GPU arch : gfx90c",
            "architecture/rocblas-no-library-for-gpu",
        ),
        ("RuntimeError: HIP error: invalid device function", "architecture/no-code-object-for-gpu"),
    ],
)
def test_an_error_line_typed_into_the_search_leads_to_its_page(
    browser: Browser, address: str, line: str, slug: str
) -> None:
    browser.get(address)
    field = wait(lambda: find(browser, ".md-search__input"), "the search field")
    field.click()
    field.send_keys(line)

    def first() -> Any:
        script = "return document.querySelector('.md-search-result__item a')?.href"
        href = browser.execute_script(script)
        return href if href and f"/{slug}/" in href else None

    href = wait(first, f"a first result in {slug}")
    assert find(browser, ".md-search__input").get_attribute("value")
    browser.get(href)
    entry = next(e for e in load() if f"{e.area}/{e.slug}" == slug)
    assert find(browser, ".badge--code").text == entry.code


@pytest.mark.browser
def test_the_paste_box_finds_the_entry_for_this_card(browser: Browser, address: str) -> None:
    log = (
        "torch 2.9.1+rocm6.4, AMD Radeon RX 6700 XT (gfx1031)\nTraceback (most recent call last):\n"
        '  File "train.py", line 3, in <module>\nRuntimeError: HIP error: invalid device function\n'
    )
    browser.get(address)
    find(browser, ".paste textarea").send_keys(log)
    find(browser, ".paste button").click()
    link = wait(lambda: browser.find_elements("css selector", ".answers a"), "answers")[0]
    assert "gfx1031" in link.text
    assert find(browser, ".answers code").text == "RuntimeError: HIP error: invalid device function"
    link.click()
    wait(lambda: browser.find_elements("css selector", ".badge--code"), "the page of the entry")
    assert any(b.text == "gfx1031" for b in browser.find_elements("css selector", ".badge--gpu"))


@pytest.mark.browser
def test_the_paste_box_says_when_it_knows_nothing_or_sees_no_amd(browser: Browser, address: str) -> None:
    browser.get(address)
    box, button = find(browser, ".paste textarea"), find(browser, ".paste button")
    box.send_keys("NVIDIA A100-SXM4-80GB\nRuntimeError: CUDA error: invalid device function")
    button.click()
    note = wait(lambda: find(browser, ".answers-note").text, "a note")
    assert note.startswith("None of the known lines")
    assert browser.find_elements("css selector", ".answers li") == []


@pytest.mark.browser
def test_every_signature_compiles_in_the_browser(browser: Browser, address: str) -> None:
    browser.get(address)
    wrong = browser.execute_async_script(
        """
        const done = arguments[0];
        fetch("assets/signatures.json").then((r) => r.json()).then((entries) => {
          const wrong = [];
          for (const [code, , , , signatures] of entries)
            for (const [mark, isRegex, , , beside, absent] of signatures)
              for (const source of [...(isRegex ? [mark] : []), ...[...beside, ...absent].filter((b) => /^\\/.*\\/$/.test(b)).map((b) => b.slice(1, -1))])
                try { new RegExp(source); } catch (e) { wrong.push(`${code}: ${e}`); }
          done(wrong);
        });
        """
    )
    assert wrong == []


@pytest.mark.browser
@pytest.mark.parametrize(("language", "open_"), [("en-US", False), ("zh-CN", True)])
def test_chinese_prose_is_open_for_a_browser_that_asks_for_chinese(
    browser: Browser, address: str, language: str, open_: bool
) -> None:
    agent = browser.execute_script("return navigator.userAgent")
    try:
        browser.execute_cdp_cmd(
            "Network.setUserAgentOverride", {"userAgent": agent, "acceptLanguage": language}
        )
        browser.get(address + "entries/architecture/no-code-object-for-gpu/")
        block = wait(lambda: browser.find_elements("css selector", "details.chinese"), "the Chinese prose")[0]
        assert (block.get_attribute("open") is not None) is open_
        assert browser.find_elements("css selector", "details.chinese li p")[0].is_displayed() is open_
    finally:
        browser.execute_cdp_cmd(
            "Network.setUserAgentOverride", {"userAgent": agent, "acceptLanguage": "en-US"}
        )


@pytest.mark.browser
def test_tables_can_be_filtered(browser: Browser, address: str) -> None:
    browser.get(address + "facts/gpus/")
    rows = "return [...document.querySelectorAll('table.targets tbody tr')].filter((r) => !r.hidden).length"
    every = browser.execute_script(rows)
    find(browser, ".filter").send_keys("rdna4")
    assert browser.execute_script(rows) == 2 < every
    find(browser, ".filter").clear()


@pytest.mark.browser
@pytest.mark.parametrize("path", ["", "facts/gpus/", "entries/", "usage/linter/"])
def test_a_narrow_window_does_not_scroll_sideways(browser: Browser, address: str, path: str) -> None:
    try:
        browser.set_window_size(500, 900)
        browser.get(address + path)
        script = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert browser.execute_script(script) <= 0
    finally:
        browser.set_window_size(1300, 1000)


@pytest.mark.browser
def test_no_page_asks_another_host_or_logs_an_error(browser: Browser, address: str) -> None:
    browser.get_log("performance")
    browser.get_log("browser")
    for path in ("", "entries/", "facts/wheels/", "wrong-advice/", "usage/query/"):
        browser.get(address + path)
        wait(lambda: find(browser, "h1").text, "the page")
    asked = []
    for row in browser.get_log("performance"):
        message = json.loads(row["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            asked.append(message["params"]["request"]["url"])
    assert asked
    assert [url for url in asked if not url.startswith((address, "data:", "blob:"))] == []
    assert [row["message"] for row in browser.get_log("browser") if row["level"] == "SEVERE"] == []
