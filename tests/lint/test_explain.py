"""``amdlint explain`` as users call it: sources, formats, exit codes, what is shown and what is not."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any, Protocol

import pytest
from amdlint.kb import clean, load, match
from amdlint.kb.model import Applies, Entry, Fix, Signature, Source, Step
from amdlint.kb.store import KnowledgeBase
from amdlint.lint import explain, explain_text
from click.testing import Result

LOG = """\
torch 2.9.0+rocm6.4, AMD Radeon RX 6700 XT
[rank3]: Traceback (most recent call last):
[rank3]: RuntimeError: the kernel went boom
"""

ENTRY = Entry(
    code="AMD9901",
    title="The kernel goes boom",
    severity="error",
    cause="It was built for another card.\n\nAnd nobody looked.",
    sources=(Source("https://example.org/1", "It went boom", "ROCm 6.4"),),
    signatures=(Signature(text="the kernel went boom"),),
    fixes=(
        Fix(
            "Pretend to be another card",
            steps=(Step(env="HSA_OVERRIDE_GFX_VERSION={override}"),),
            caveat="Only for a try.",
        ),
        Fix("Build for the card", steps=(Step(run="make GPU={gfx}"),), verify="rocminfo | grep {gfx}"),
        Fix("For MI300 only", steps=(Step(do="Nothing."),), applies=Applies(gfx=("gfx942",))),
        Fix("For old ROCm only", steps=(Step(do="Upgrade."),), applies=Applies(rocm="<6")),
    ),
    wrong_advice=("Hitting the card does not help.",),
    slug="kernel-boom",
    area="runtime",
)


class Amdlint(Protocol):
    def __call__(self, *arguments: object, stdin: str | bytes | None = None) -> Result: ...


@pytest.fixture(autouse=True)
def one_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explain.store, "load", lambda *a, **k: KnowledgeBase([ENTRY]))


def answer(result: Result) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_json_has_the_documented_shape(amdlint: Amdlint) -> None:
    result = amdlint("explain", "--format", "json", stdin=LOG)
    assert result.exit_code == 0
    found = answer(result)
    assert set(found) == {"matches", "context"}
    assert found["context"] == {
        "gpus": ["AMD Radeon RX 6700 XT"],
        "gfx": ["gfx1031"],
        "rocm": "6.4",
        "torch": "2.9.0+rocm6.4",
        "python": None,
        "os": None,
        "ranks": [3],
        "first_failing_rank": 3,
    }
    (m,) = found["matches"]
    assert set(m) == {
        "code",
        "id",
        "title",
        "confidence",
        "evidence",
        "cause",
        "fixes",
        "url",
        "sources",
        "findings",
    }
    assert (m["code"], m["id"], m["title"]) == ("AMD9901", "kernel-boom", "The kernel goes boom")
    assert 0.5 < m["confidence"] < 1
    assert m["evidence"] == [{"line": 3, "text": "RuntimeError: the kernel went boom", "rank": 3}]
    assert m["fixes"] == [
        {
            "summary": "Pretend to be another card",
            "steps": [{"env": "HSA_OVERRIDE_GFX_VERSION=10.3.0"}],
            "applies": {},
            "verify": None,
            "caveats": ["Only for a try.", "Hitting the card does not help."],
        },
        {
            "summary": "Build for the card",
            "steps": [{"run": "make GPU=gfx1031"}],
            "applies": {},
            "verify": "rocminfo | grep gfx1031",
            "caveats": [],
        },
    ]
    assert m["findings"] == []
    assert m["sources"] == [{"url": "https://example.org/1", "says": "It went boom", "as_of": "ROCm 6.4"}]


def test_an_unknown_fact_is_left_open_and_the_command_named(amdlint: Amdlint) -> None:
    log = "HIP: the kernel went boom\n"
    fixes = answer(amdlint("explain", "--format", "json", stdin=log))["matches"][0]["fixes"]
    assert fixes[1]["steps"] == [{"run": "make GPU=<gfx>"}]
    assert fixes[1]["caveats"] == ["<gfx>: rocminfo | grep -o -m1 'gfx[0-9a-f]*'"]
    # The range of a fix asks for a fact as well.
    assert fixes[3]["applies"] == {"rocm": "<6"}
    assert fixes[3]["caveats"] == ['<rocm>: python -c "import torch; print(torch.version.hip)"']
    text = amdlint("explain", stdin=log).stdout
    assert "make GPU=<gfx>" in text
    assert "to find out <gfx>: rocminfo | grep -o -m1 'gfx[0-9a-f]*'" in text


def test_options_say_what_the_log_does_not(amdlint: Amdlint) -> None:
    log = "the kernel went boom\n"
    assert amdlint("explain", stdin=log).exit_code == 1
    result = amdlint("explain", "--format", "json", "--target", "MI300X", "--rocm", "5.7", stdin=log)
    found = answer(result)
    assert found["context"]["gfx"] == ["gfx942"]
    assert [f["summary"] for f in found["matches"][0]["fixes"]] == [
        "Pretend to be another card",
        "Build for the card",
        "For MI300 only",
        "For old ROCm only",
    ]


def test_an_unknown_target_is_a_usage_error(amdlint: Amdlint) -> None:
    result = amdlint("explain", "--target", "gfx12345", stdin=LOG)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "gfx12345" in result.stderr


def test_text_reads_like_an_answer(amdlint: Amdlint) -> None:
    result = amdlint("explain", "--lang", "en", stdin=LOG)
    assert re.sub(r"0[.][0-9]{2}", "0.88", result.stdout) == (
        "AMD9901 The kernel goes boom\n"
        "  likely (0.88)\n"
        "\n"
        "What the log says\n"
        "  | 3 [rank 3]: RuntimeError: the kernel went boom\n"
        "\n"
        "Why\n"
        "  It was built for another card.\n"
        "  And nobody looked.\n"
        "  This machine: AMD Radeon RX 6700 XT, gfx1031, ROCm 6.4, torch 2.9.0+rocm6.4\n"
        "\n"
        "What to do\n"
        "  1. Pretend to be another card\n"
        "       export HSA_OVERRIDE_GFX_VERSION=10.3.0\n"
        "     careful: Only for a try.\n"
        "  2. Build for the card\n"
        "       $ make GPU=gfx1031\n"
        "     check with: rocminfo | grep gfx1031\n"
        "\n"
        "What not to do\n"
        "  - Hitting the card does not help.\n"
        "\n"
        "Sources\n"
        "  - It went boom (ROCm 6.4) https://example.org/1\n"
        f"  All about it: {ENTRY.url}\n"
    )


def test_markdown_can_be_pasted_into_an_issue(amdlint: Amdlint) -> None:
    text = amdlint("explain", "--format", "markdown", "--lang", "en", stdin=LOG).stdout
    text = re.sub(r"0[.][0-9]{2}", "0.88", text)
    assert text.startswith(
        "### AMD9901 The kernel goes boom\n\n*likely (0.88)*\n\n**What the log says**\n\n```text\n"
    )
    assert "   ```bash\n   export HSA_OVERRIDE_GFX_VERSION=10.3.0\n   ```\n" in text
    assert text.count("```") % 2 == 0


def test_chinese_labels(amdlint: Amdlint) -> None:
    text = amdlint("explain", "--lang", "zh", stdin=LOG).stdout
    assert "解决办法" in text
    assert "What to do" not in text


def test_chinese_prose_where_an_entry_is_translated(
    amdlint: Amdlint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    log = "RuntimeError: HIP error: invalid device function\nAMD Radeon RX 7600\n"
    (english, chinese) = (
        json.loads(amdlint("explain", "--format", "json", "--lang", lang, stdin=log).stdout)["matches"][0]
        for lang in ("en", "zh")
    )
    assert english["code"] == chinese["code"]
    assert english["cause"].isascii()
    assert not chinese["cause"].isascii()
    assert [f["steps"] for f in english["fixes"]][1] == [f["steps"] for f in chinese["fixes"]][1]


@pytest.mark.parametrize("text", ["显存不足，" * 60, "word " * 80, "安装 torch 2.9 的 ROCm 版本，" * 20])
def test_prose_is_wrapped_by_what_it_takes_on_the_screen(text: str) -> None:
    lines = explain_text._wrapped(text, "  ", "    ")
    widths = [sum(1 if c.isascii() else 2 for c in line) for line in lines]
    assert max(widths) <= explain_text.WIDTH + 2  # a closing mark may hang over
    assert min(widths[:-1]) > explain_text.WIDTH - 12
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert not any(line.strip().startswith("，") for line in lines)


def test_every_label_has_every_language() -> None:
    assert explain_text.LABELS["zh"].keys() == explain_text.LABELS["en"].keys()


def test_a_file_and_dash(amdlint: Amdlint, tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text(LOG, "utf-8")
    by_name = amdlint("explain", "train.log", "--format", "json")
    assert by_name.exit_code == 0
    assert answer(by_name) == answer(amdlint("explain", "-", "--format", "json", stdin=LOG))


def test_utf16_from_powershell(amdlint: Amdlint, tmp_path: Path) -> None:
    (tmp_path / "train.log").write_bytes(LOG.replace("\n", "\r\n").encode("utf-16"))
    assert answer(amdlint("explain", "train.log", "--format", "json"))["matches"][0]["code"] == "AMD9901"


@pytest.mark.parametrize("name", ["AMD9901", "amd9901", "kernel-boom"])
def test_a_code_or_name_shows_its_page(amdlint: Amdlint, name: str) -> None:
    result = amdlint("explain", name, "--lang", "en")
    assert result.exit_code == 0
    assert result.stdout.startswith("AMD9901 The kernel goes boom\n\nWhy\n")
    assert "For MI300 only" in result.stdout
    assert "HSA_OVERRIDE_GFX_VERSION=<override>" in result.stdout


@pytest.mark.parametrize(
    ("argument", "stdin", "says"),
    [
        ("nowhere.log", None, "nowhere.log: no such file, and no entry has this code or name"),
        (".", None, ". is a directory"),
        ("empty.log", None, "empty.log is empty"),
        ("core.bin", None, "core.bin is not text"),
        ("-", "", "standard input is empty"),
        ("-", "  \n\n", "standard input is empty"),
    ],
)
def test_what_cannot_be_explained_is_a_usage_error(
    amdlint: Amdlint, tmp_path: Path, argument: str, stdin: str | None, says: str
) -> None:
    (tmp_path / "empty.log").touch()
    (tmp_path / "core.bin").write_bytes(b"\x7fELF\x02\x01\x01" + b"\x00\x01\x02" * 400)
    result = amdlint("explain", argument, stdin=stdin)
    assert (result.exit_code, result.stdout) == (2, "")
    assert says in result.stderr


def test_no_paste_and_no_pipe_is_a_usage_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Terminal:
        closed = False

        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Terminal())
    assert explain.run(None) == 2
    assert "no log given" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("log", "says", "hides"),
    [
        ("KeyError: 'text'\n", "an ordinary Python one (KeyError: 'text')", "collect_env"),
        ("NVIDIA H100\nRuntimeError: the kernel went boom\n", "an NVIDIA machine", "collect_env"),
        ("RuntimeError: the kernel went boom\n", "Nothing in the paste says that an AMD GPU", "KeyError"),
        ("MI300X\nRuntimeError: something new\n", "I will not guess", "KeyError"),
        ("MI300X\nstep 1\n", "I see no error in this log", "collect_env"),
    ],
)
def test_no_known_match_is_said_honestly(amdlint: Amdlint, log: str, says: str, hides: str) -> None:
    result = amdlint("explain", "--lang", "en", stdin=log)
    assert result.exit_code == 1
    assert result.stdout.startswith("No known match\n")
    assert says in " ".join(result.stdout.split())
    assert hides not in result.stdout
    assert answer(amdlint("explain", "--format", "json", stdin=log))["matches"] == []


def test_a_log_with_an_unknown_error_is_told_what_to_collect(amdlint: Amdlint) -> None:
    text = amdlint("explain", "--lang", "en", stdin="MI300X\nRuntimeError: something new\n").stdout
    assert "2: RuntimeError: something new" in text
    assert "python -m torch.utils.collect_env" in text
    assert "https://github.com/ROCm/ROCm/issues" in text


def test_a_huge_log_is_explained_with_the_right_line(amdlint: Amdlint, tmp_path: Path) -> None:
    noise = "".join(f"[rank{n % 8}]: step {n} loss {n % 7}\n" for n in range(20_000))
    (tmp_path / "big.log").write_text(noise + LOG + noise, "utf-8")
    found = answer(amdlint("explain", "big.log", "--format", "json"))
    assert found["matches"][0]["evidence"] == [
        {"line": 20_003, "text": "RuntimeError: the kernel went boom", "rank": 3}
    ]
    assert found["context"]["gfx"] == ["gfx1031"]


def test_the_code_that_the_traceback_points_to_is_linted(
    amdlint: Amdlint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    builtin = load()
    monkeypatch.setattr(explain.store, "load", lambda *a, **k: KnowledgeBase([*builtin, ENTRY]))
    code = "import torch\n\n\ndef pick():\n    if torch.cuda.get_device_capability()[0] >= 9:\n        return 'flash3'\n    return 'sdpa'\n"
    (tmp_path / "train.py").write_text(code, "utf-8")
    log = LOG.replace(
        "[rank3]: Runtime", f'[rank3]:   File "{tmp_path}/train.py", line 5, in pick\n[rank3]: Runtime'
    )
    found = answer(amdlint("explain", "--format", "json", stdin=log))
    (finding,) = found["matches"][0]["findings"]
    assert finding["code"] == "AMD1001"
    assert finding["location"]["row"] == 5
    assert finding["fix"] is not None
    text = amdlint("explain", "--lang", "en", stdin=log).stdout
    assert f"{tmp_path}/train.py:5 AMD1001" in " ".join(text.split())
    elsewhere = log.replace("line 5", "line 2")
    assert answer(amdlint("explain", "--format", "json", stdin=elsewhere))["matches"][0]["findings"] == []


def test_where_no_signature_knows_the_error_the_line_of_code_may_tell(
    amdlint: Amdlint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explain.store, "load", lambda *a, **k: KnowledgeBase(list(load())))
    code = "import ctypes\n\nlib = ctypes.CDLL('libcudart.so')\nlib.cudaDeviceSynchronize()\n"
    (tmp_path / "tool.py").write_text(code, "utf-8")
    trace = f'Traceback (most recent call last):\n  File "{tmp_path}/tool.py", line 3, in <module>\nOSError: something new\n'
    found = answer(amdlint("explain", "--format", "json", stdin="AMD Instinct MI300X\n" + trace))["matches"]
    assert [(m["code"], m["confidence"]) for m in found] == [
        (m["findings"][0]["code"], explain.BY_CODE) for m in found
    ]
    assert [m["evidence"][0]["line"] for m in found] == [3]
    assert answer(amdlint("explain", "--format", "json", stdin="NVIDIA H100\n" + trace))["matches"] == []


def test_colours_only_on_request() -> None:
    found = match.explain(LOG, KnowledgeBase([ENTRY]))
    assert "\x1b[" not in explain_text.render(found)
    assert "\x1b[1mAMD9901" in explain_text.render(found, color=True)


def test_a_long_line_is_quoted_in_part() -> None:
    found = match.explain(LOG.replace("went boom", "went boom" + " x" * 2000), KnowledgeBase([ENTRY]))
    quoted = [x for x in explain_text.render(found).split("\n") if x.startswith("  | 3")]
    assert len(quoted[0]) < 450


def test_a_broken_entry_of_the_user_is_named_and_the_rest_still_helps(
    amdlint: Amdlint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "broken.yaml").write_text("code: AMD9999\ntitle: 3\n", "utf-8")
    result = amdlint(
        "explain", "--kb", "own", "--format", "json", stdin="RuntimeError: HIP error: invalid device function"
    )
    assert "broken.yaml:" in result.stderr
    assert answer(result)["matches"][0]["id"] == "no-code-object-for-gpu"


def test_a_missing_folder_of_entries_is_a_usage_error(amdlint: Amdlint) -> None:
    for command in ("explain", "rule"):
        result = amdlint(command, *(["AMD9901"] if command == "rule" else []), "--kb", "nowhere", stdin=LOG)
        assert result.exit_code == 2
        assert "nowhere" in result.stderr


def test_cleaning_and_answering_share_line_numbers() -> None:
    paste = clean.clean("```\n" + LOG + "```\n")
    assert match.explain(paste, KnowledgeBase([ENTRY])).matches[0].evidence[0].number == 4
