"""Make a pasted log readable for the matcher.

Input: bytes as they come from a file, a pipe or a clipboard. Output: numbered lines without colour
codes, time stamps, quoting and container prefixes, each with the rank that printed it, plus the
lines that a terminal or a mail program has broken in two.
"""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from .signature import plain


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the log. ``number`` is that of the input (1-based); ``rank`` is None when not told."""

    number: int
    text: str
    rank: int | None = None
    joined: bool = False
    """Made of several physical lines that a narrow window had broken."""


@dataclass(frozen=True, slots=True)
class Paste:
    """A cleaned log: ``lines`` in order; ``joins`` are broken lines put together again (in addition)."""

    lines: tuple[Line, ...]
    joins: tuple[Line, ...] = ()
    text: str = field(default="", repr=False)
    """All lines and joins as one string, for questions about the whole paste."""

    def __bool__(self) -> bool:
        return any(line.text.strip() for line in self.lines)


# ---- bytes to text ---------------------------------------------------------------------------


def decode(data: bytes) -> str:
    """Text of a log: UTF-8 with or without BOM, UTF-16 (PowerShell's ``>``), never an exception."""
    encoding = encoding_of(data)
    return data.decode(encoding, "replace").removeprefix("\ufeff")


def encoding_of(head: bytes) -> str:
    """Encoding of a log by its first bytes."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    sample = head[:2000]
    if len(sample) >= 4 and b"\0" in sample:
        # UTF-16 without BOM: every second byte of ASCII text is zero.
        if sample[1::2].count(0) > len(sample) * 0.35:
            return "utf-16-le"
        if sample[::2].count(0) > len(sample) * 0.35:
            return "utf-16-be"
    return "utf-8"


def is_binary(head: bytes) -> bool:
    """Whether the bytes are no text at all (an archive, a core dump, an image)."""
    if encoding_of(head) != "utf-8":
        return False
    sample = head[:8000]
    control = sum(sample.count(c) for c in b"\x00\x01\x02\x03\x04\x05\x06\x0e\x0f\x10\x11\x12\x13\x14\x15\x16")
    return b"\0" in sample and control > len(sample) * 0.01


# ---- one line --------------------------------------------------------------------------------

_ANSI = re.compile(
    r"(?:\x1b|\x9b|\^\[|\\u001b|\\x1b|\\033|\\e)(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][AB0])"
    # The escape character itself is often lost on the way to the clipboard.
    r"|\[(?:\d{1,3}(?:;\d{1,3}){0,4})m"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060\ufeff]")
_HAS_ESCAPE = re.compile(r"\x1b|\x9b|\^\[\[|\\u001b|\\x1b|\\033|\\e\[|\[\d{1,3}(?:;\d{1,3}){0,4}m")

_STAMP = (
    r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,:]\d{1,9})?(?:Z|[+-]\d\d:?\d\d| UTC)?"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d"
    r"|\d\d:\d\d:\d\d(?:[.,]\d{1,6})?"
)
_RANKED = re.compile(
    r"\[(?:rank|default|trainer|worker|node\d{1,4}:rank)[_ ]?(\d{1,6})(?:\|\d{1,6})?\]:?\s?"  # torchrun
    r"|\[\d{1,4},(\d{1,6})\]<std(?:out|err|iag)>:\s?"  # mpirun --tag-output
    r"|\[(\d{1,6})\](?=:?\s*\[?(?:rank|Traceback|RuntimeError|torch\.))[: ]{0,2}"
    r"|\((?:RayWorkerWrapper|TrainWorker|WorkerDict|RayTrainWorker|Worker_?(?:TP|PP|DP)?(\d{1,4})?|EngineCore(?:_DP\d{1,4})?|"
    r"[A-Za-z_][\w.:+-]{0,60}) (?:pid=\d{1,9})(?:, ?ip=[\w.:]{1,60})?(?:, ?rank=(\d{1,6}))?\)\s?"  # Ray, vLLM
)
_PREFIXES = (
    re.compile(rf"(?:{_STAMP})(?:\s+(?=\S)|\s?\|\s|:\s|$)"),
    re.compile(rf"\[(?:{_STAMP})(?:\s[\w ]{{1,20}})?\]:?\s?"),
    re.compile(r"\[ {0,6}\d{1,7}\.\d{6}\]\s"),  # dmesg
    re.compile(r"[a-z0-9][\w.-]{0,60}[-_]\d{1,4} {1,30}\| ?"),  # docker compose
    re.compile(r"[a-z0-9][\w.-]{1,60} {1,30}\| (?=\S| )"),
    re.compile(r"\[pod/[\w./-]{1,120}\]\s?"),  # kubectl logs --prefix
    re.compile(r"##\[(?:error|warning|group|debug)\]"),  # GitHub Actions, Azure
    re.compile(r"(?:stdout|stderr) [FP] "),  # CRI log files
)
_BOX_START = re.compile(r"^\s*[│┃|]\s(?:❱\s)?")
_BOX_END = re.compile(r"\s*[│┃]\s*$")
_QUOTED = re.compile(r"^(?:>(?=\s|$)[ \t]?)+")
_QUOTED_TIGHT = re.compile(r"^>+ ?(?!>)")
_FENCE = re.compile(r"^\s*(?:```|~~~)[\w+-]*\s*$")
_SRUN = re.compile(r"^ {0,5}(\d{1,5}): ")
_PDSH = re.compile(r"^([a-zA-Z][\w.-]{1,60}): ")


def strip_escapes(text: str) -> str:
    """The text without terminal control sequences and invisible characters."""
    if _HAS_ESCAPE.search(text):
        text = _ANSI.sub("", text)
    return _CONTROL.sub("", text)


def peel(text: str) -> tuple[str, int | None]:
    """The text without the prefixes of launchers, containers and loggers, and the rank they told."""
    rank: int | None = None
    for _ in range(6):
        if (m := _RANKED.match(text)) is not None:
            number = next((g for g in m.groups() if g), None)
            if number is not None:
                rank = int(number)
        elif (m := next((m for p in _PREFIXES if (m := p.match(text))), None)) is None:
            break
        text = text[m.end() :]
    return text, rank


def _json_line(text: str) -> str | None:
    """The message of a line of a JSON log (docker json-file, structured loggers)."""
    if not text.startswith('{"') or not text.rstrip().endswith("}"):
        return None
    try:
        record = json.loads(text)
    except ValueError:
        return None
    for name in ("log", "message", "msg", "text"):
        if isinstance(value := record.get(name), str):
            return value
    return None


# ---- the whole paste ---------------------------------------------------------------------------


def clean(data: bytes | str) -> Paste:
    """The cleaned log."""
    text = decode(data) if isinstance(data, bytes) else data.removeprefix("\ufeff")
    return clean_lines(enumerate(text.split("\n"), 1))


def clean_lines(numbered: Iterable[tuple[int, str]]) -> Paste:
    """The cleaned log of numbered raw lines (some may be left out)."""
    raw: list[tuple[int, str]] = []
    for number, text in numbered:
        text = plain(strip_escapes(text)) if not text.isascii() or not text.isprintable() or "[" in text else text
        message = _json_line(text)
        for part in (message or text).split("\n"):
            if not _FENCE.match(part):
                raw.append((number, part.rstrip()))
    raw = _unquote(raw)
    ranked = _launcher_prefix([t for _, t in raw])
    lines: list[Line] = []
    widths: list[int] = []
    for number, text in raw:
        rank: int | None = None
        body = text
        if ranked is not None and (m := ranked.match(body)):
            rank = int(m.group(1)) if m.group(1).isdigit() else None
            body = body[m.end() :]
        body, told = peel(body)
        boxed = _BOX_END.sub("", _BOX_START.sub("", body)) if "│" in body or "┃" in body else body
        lines.append(Line(number, boxed, rank if told is None else told))
        widths.append(len(text))
    joins = tuple(_joins(lines, widths))
    whole = "\n".join([*(x.text for x in lines), *(x.text for x in joins)])
    return Paste(tuple(lines), joins, whole)


def _unquote(raw: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Without mail quoting (``> ``); a Python prompt is none."""
    filled = [t for _, t in raw if t]
    tight = sum(t.startswith(">") and not t.startswith(">>> ") for t in filled)
    pattern = _QUOTED_TIGHT if filled and tight > 0.6 * len(filled) else _QUOTED
    return [(n, pattern.sub("", t) if t.startswith(">") else t) for n, t in raw]


def _launcher_prefix(texts: Sequence[str]) -> re.Pattern[str] | None:
    """``srun -l`` or ``pdsh`` numbering, taken as such only when most lines carry it."""
    filled = [t for t in texts if t.strip()]
    if len(filled) < 2:
        return None
    if sum(1 for t in filled if _SRUN.match(t)) > 0.6 * len(filled):
        return _SRUN
    hosts = Counter(m.group(1) for t in filled if (m := _PDSH.match(t)))
    if hosts and sum(hosts.values()) > 0.7 * len(filled) and len(hosts) < 0.3 * len(filled):
        return _PDSH
    return None


_MIN_WIDTH = 40
_MAX_PARTS = 14
_FRESH = re.compile(
    r"\s*(?:File \"|Traceback |During handling|The above exception|\$ |>>> |\[rank\d|[A-Z]\w+(?:Error|Exception|Warning):)"
)


def _joins(lines: Sequence[Line], widths: Sequence[int]) -> Iterator[Line]:
    """Lines that look broken by a narrow window, put together.

    A terminal cuts at a fixed column, in the middle of a word; a mail program breaks at spaces. Both
    readings are offered: a wrong join costs nothing, since the lines themselves stay.
    """
    exact = {w for w, n in Counter(w for w in widths if w >= _MIN_WIDTH).items() if n > 1}
    longest = max(widths, default=0)
    done = -1
    for i, line in enumerate(lines[:-1]):
        if widths[i] < _MIN_WIDTH or i < done:
            continue
        parts = [line.text]
        j = i
        width = widths[i]
        while (
            j + 1 < len(lines)
            and len(parts) < _MAX_PARTS
            and lines[j + 1].text.strip()
            and not _FRESH.match(lines[j + 1].text)
            and lines[j + 1].number - lines[j].number <= 1
            and lines[j + 1].rank in (None, line.rank)
            and widths[j] >= _MIN_WIDTH
            and widths[j] >= width - 25
        ):
            j += 1
            parts.append(lines[j].text)
        if len(parts) == 1:
            continue
        hard = width in exact or width == longest
        if hard:
            yield Line(line.number, "".join(parts), line.rank, joined=True)
        yield Line(line.number, " ".join(p.strip() for p in parts), line.rank, joined=True)
