"""Cleaning: what launchers, containers, terminals and mail programs put around a line comes off."""

from __future__ import annotations

import json

import pytest
from amdlint.kb import clean

ERROR = "RuntimeError: HIP error: invalid device function"


@pytest.mark.parametrize(
    ("raw", "rank"),
    [
        ("[rank3]: {}", 3),
        ("[rank12]:{}", 12),
        ("[default0]:{}", 0),
        ("[trainer1|4]: {}", 1),
        ("[1,5]<stderr>:{}", 5),
        ("(RayWorkerWrapper pid=4711, ip=10.0.0.2) {}", None),
        ("(Worker_TP3 pid=2201) {}", 3),
        ("(EngineCore pid=165) ERROR 07-02 07:48:27 [core.py:1202] {}", None),
        ("trainer-1  | {}", None),
        ("trainer-1  | [rank2]: {}", 2),
        ("[pod/train-0/worker] {}", None),
        ("2025-06-24T05:49:37.1507573Z {}", None),
        ("2025-03-05 12:41:00,000 - ERROR - {}", None),
        ("[2026-05-26 03:15:44 TP1] {}", 1),
        ("[   67.058794] {}", None),
        ("[Wed Mar  4 10:11:12 2026] {}", None),
        ("Jan  5 09:58:01 node17 {}", None),
        ("> {}", None),
        ("> > {}", None),
        ("\x1b[1;31m{}\x1b[0m", None),
        ("[31m{}[0m", None),
        ("^[[1;31m{}^[[0m", None),
        ("\x1b]8;;http://x\x1b\\{}\x1b]8;;\x1b\\", None),
        ("│ {}   │", None),
        ("##[error]{}", None),
        ("2025-06-24T05:49:37.150757312Z stderr F {}", None),
        ("\ufeff{}", None),
        ("{}\r", None),
    ],
)
def test_prefixes_come_off(raw: str, rank: int | None) -> None:
    paste = clean.clean(raw.format(ERROR))
    assert [(x.text, x.rank) for x in paste.lines] == [(ERROR, rank)]


@pytest.mark.parametrize(
    "kept",
    [
        ">>> import torch",
        "ERROR:root:Driver not initialized (amdgpu not found in modules)",
        "x = values[10]",
        ":0:rocdevice.cpp            :2673: Device::callbackQueue aborting",
        "[1/19] Building HIP object ops.cu.o",
        "(venv) user@host:~$ rocminfo",
        "[W1016 17:27:46.690175963 Context.cpp:301] Warning: x",
    ],
)
def test_what_only_looks_like_a_prefix_stays(kept: str) -> None:
    assert [x.text for x in clean.clean(kept).lines] == [kept]


def test_slurm_numbers_are_ranks_only_when_most_lines_have_them() -> None:
    labelled = clean.clean("0: starting\n3: RuntimeError: x\n3: more\n")
    assert [(x.text, x.rank) for x in labelled.lines[:3]] == [
        ("starting", 0),
        ("RuntimeError: x", 3),
        ("more", 3),
    ]
    lone = clean.clean("Traceback (most recent call last):\n3: RuntimeError: x\nwhatever\nelse\n")
    assert [x.rank for x in lone.lines] == [None] * 5


def test_pdsh_host_names_come_off() -> None:
    log = "\n".join(f"node01: line {i} of it" for i in range(8))
    assert clean.clean(log).lines[0].text == "line 0 of it"


@pytest.mark.parametrize(
    "data",
    [
        ERROR.encode("utf-16"),
        ERROR.encode("utf-16-le"),
        ERROR.encode("utf-16-be"),
        b"\xef\xbb\xbf" + ERROR.encode(),
        ERROR.encode() + b"\r\n",
    ],
    ids=["utf-16 bom", "utf-16-le", "utf-16-be", "utf-8 bom", "crlf"],
)
def test_encodings(data: bytes) -> None:
    assert clean.clean(data).lines[0].text == ERROR


def test_bytes_that_are_no_utf8_are_no_error() -> None:
    assert "HIP error" in clean.clean(b"caf\xe9: HIP error").text


def test_binary_is_told_from_text() -> None:
    assert clean.is_binary(b"\x7fELF\x02\x01\x01\x00\x00\x00" * 50)
    assert not clean.is_binary(ERROR.encode("utf-16"))
    assert not clean.is_binary("日志：HIP error".encode())


def test_fences_are_dropped_and_line_numbers_stay() -> None:
    paste = clean.clean(f"look:\n```text\n{ERROR}\n```\n")
    assert [(x.number, x.text) for x in paste.lines if x.text] == [(1, "look:"), (3, ERROR)]


def test_progress_bars_share_a_line_number() -> None:
    paste = clean.clean(f" 10%|#   |\r 20%|##  |\r{ERROR}\nend")
    assert (1, ERROR) in [(x.number, x.text) for x in paste.lines]
    assert (2, "end") in [(x.number, x.text) for x in paste.lines]


@pytest.mark.parametrize(
    "record",
    [
        {"asctime": "2026-03-04", "record": {"message": ERROR}},
        {"event": "line", "data": f"{ERROR}\n", "pipe": "stderr"},
        {"msg": "step failed", "exc_info": f"Traceback (most recent call last):\n{ERROR}"},
    ],
)
def test_json_records_of_any_logger(record: dict[str, object]) -> None:
    for text in (json.dumps(record), json.dumps(record).replace('{"', '{ "', 1)):
        assert ERROR in [x.text for x in clean.clean(text).lines]


@pytest.mark.parametrize(
    "prefix",
    [
        "train-worker-0 pytorch ",
        "E0304 10:11:12.{}    1234 train.go:12] ",
        "{:>6}\t",
        "worker0: ",
        "E       ",
    ],
)
def test_the_prefix_of_an_unknown_logger_comes_off_when_a_traceback_shows_it(prefix: str) -> None:
    lines = ["step 1", "Traceback (most recent call last):", '  File "a.py", line 3, in <module>', ERROR]
    log = "\n".join(prefix.format(n) + line for n, line in enumerate(lines, 117))
    assert [x.text for x in clean.clean(log).lines] == lines


def test_what_stands_before_a_quoted_traceback_is_no_prefix() -> None:
    log = f'worker died: Traceback (most recent call last):\n  File "a.py", line 3\nworker died: {ERROR}'
    assert clean.clean(log).lines[-1].text == f"worker died: {ERROR}"


def test_json_records_give_their_message() -> None:
    record = json.dumps({"log": f"[rank1]: {ERROR}\n", "stream": "stderr"})
    assert [(x.text, x.rank) for x in clean.clean(record).lines if x.text] == [(ERROR, 1)]


def test_entities_of_web_pages_are_undone() -> None:
    assert clean.clean("module &lt;__main__&gt; &quot;x&quot;").lines[0].text == 'module <__main__> "x"'


def test_typographic_quotes_become_plain() -> None:
    assert clean.clean("error: ‘foo’ “bar”").lines[0].text == "error: 'foo' \"bar\""


def test_shared_indentation_goes() -> None:
    assert [x.text for x in clean.clean("    a:\n      b\n").lines[:2]] == ["a:", "  b"]


LONG = (
    "clang++: error: cannot find ROCm device library; provide its path via '--rocm-path' or "
    "'--rocm-device-lib-path', or pass '-nogpulib' to build without ROCm device library"
)


@pytest.mark.parametrize("width", [40, 60, 79, 80, 100, 120])
def test_a_terminal_that_cuts_at_a_column_is_undone(width: int) -> None:
    log = "\n".join(["$ hipcc x.cpp", *(LONG[i : i + width] for i in range(0, len(LONG), width)), "$"])
    assert LONG in [x.text for x in clean.clean(log).joins]


def test_one_broken_line_in_a_long_log_is_mended() -> None:
    steps = "".join(f"step {n} loss {2 - n / 1000:.4f}\n" for n in range(600))
    log = steps + "\n".join(LONG[i : i + 80] for i in range(0, len(LONG), 80))
    assert LONG in [x.text for x in clean.clean(log).joins]


@pytest.mark.parametrize("width", [50, 72, 78, 100])
def test_a_mail_program_that_breaks_at_spaces_is_undone(width: int) -> None:
    import textwrap

    log = "\n".join(["Hello,", *textwrap.wrap(LONG, width, break_on_hyphens=False), "Regards"])
    assert any(LONG in x.text for x in clean.clean(log).joins)


def test_a_join_tells_where_it_starts_and_of_how_many_parts() -> None:
    log = "ok\n" + "\n".join(LONG[i : i + 80] for i in range(0, len(LONG), 80))
    join = next(x for x in clean.clean(log).joins if x.text == LONG)
    assert (join.number, join.parts) == (2, 3)


def test_a_new_error_is_no_continuation() -> None:
    log = "x" * 70 + "\ntorch.OutOfMemoryError: HIP out of memory\n"
    assert clean.clean(log).joins == ()
