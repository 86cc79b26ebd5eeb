"""Make a pasted log readable for the matcher.

Input: bytes as they come from a file, a pipe or a clipboard. Output: numbered lines without colour
codes, time stamps, quoting and container prefixes, each with the rank that printed it, plus the
lines that a terminal or a mail program has broken in two.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import msgspec

from .signature import plain


class Line(msgspec.Struct, frozen=True, gc=False):
    """One line of the log. ``number`` is that of the input (1-based); ``rank`` is None when not told."""

    number: int
    text: str
    rank: int | None = None
    parts: int = 1
    """Physical lines that a narrow window had broken it into."""

    @property
    def joined(self) -> bool:
        """Put together from broken lines."""
        return self.parts > 1


class Paste(msgspec.Struct, frozen=True):
    """A cleaned log: ``lines`` in order; ``joins`` are broken lines put together again (in addition)."""

    lines: tuple[Line, ...]
    joins: tuple[Line, ...] = ()
    text: str = ""
    """All lines and joins as one string, for questions about the whole paste."""
    peeled: str = ""
    """What was cut off the lines (workers, containers, loggers), each kind once: it tells who ran."""

    def __bool__(self) -> bool:
        return bool(self.text.strip())


# ---- bytes to text ---------------------------------------------------------------------------


def decode(data: bytes) -> str:
    """Text of a log: UTF-8 with or without BOM, UTF-16 (PowerShell's ``>``), never an exception."""
    return data.decode(encoding_of(data), "replace").removeprefix("\ufeff")


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
    control = sum(sample.count(c) for c in (*range(8), *range(14, 27), *range(28, 32)))
    return b"\0" in sample and control > len(sample) * 0.01


# ---- one line --------------------------------------------------------------------------------

_ESCAPES = ("\x1b", "\x9b", "^[[", "\\u001b", "\\x1b", "\\033", "\\e[")
_ANSI = r"(?:\x1b|\x9b|\^\[|\\u001b|\\x1b|\\033|\\e)(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][AB0])|\x9b[0-?]*[@-~]"
_LOST_ESCAPE = r"\[\d{1,3}(?:;\d{1,3}){0,4}m"
"""A colour code whose escape character was lost on the way to the clipboard."""
_CONTROL = dict.fromkeys(
    [*range(9), *range(11, 32), 127, *range(0x200B, 0x2010), *range(0x202A, 0x202F), 0x2060, 0xFEFF]
)
_STAMP = (
    r"(?:\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,:]\d{1,9})?(?:Z|[+-]\d\d:?\d\d| UTC)?"
    r"|\d\d:\d\d:\d\d(?:[.,]\d{1,6})?|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d)"
)
_LEVELS = "(?:DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL)"
_BY_START: dict[str, tuple[str, ...]] = {
    # Prefixes by the character they start with; group 1, 2 or 3 holds the rank when there is one.
    "[": (
        r"\[(?:rank|default|trainer|worker|node\d{1,4}:rank)[_ ]?(\d{1,6})(?:\|\d{1,6})?\]:?\s?",  # torchrun
        r"\[\d{1,4},(\d{1,6})\]<std(?:out|err|iag)>:\s?",  # mpirun --tag-output
        rf"\[{_STAMP}(?:\s(?:TP(\d{{1,3}})|[\w ]{{1,20}}))?\]:?\s?",
        r"\[ {0,6}\d{1,7}\.\d{6}\]\s",  # dmesg
        r"\[[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}\]\s",  # dmesg -T
        r"\[pod/[\w./-]{1,120}\]\s?",  # kubectl logs --prefix
    ),
    "(": (
        # Ray, vLLM: the name may hold the rank of a tensor-parallel worker.
        r"\((?:[A-Za-z_][\w.:+-]{0,60}?_?(?:TP|RANK)(\d{1,4})|[A-Za-z_][\w.:+-]{0,60}) pid=\d{1,9}"
        r"(?:, ?ip=[\w.:]{1,60})?(?:, ?rank=(\d{1,6}))?\)\s?",
    ),
    "#": (r"##\[(?:error|warning|group|debug)\]",),  # GitHub Actions, Azure
    "s": (r"(?:stdout|stderr) [FP] ",),  # CRI log files
    "0": (rf"{_STAMP}(?:\s+(?=\S)|\s?\|\s|:\s|$)",),
    "L": (rf"{_LEVELS} \d\d-\d\d {_STAMP} \[[\w./-]{{1,80}}:\d{{1,6}}\](?: |$)",),  # vLLM
    "-": (rf"- {_LEVELS} -(?: |$)",),  # what is left of Python's logging
    "A": (r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d\s(?:[\w.-]{1,60} )?",),  # syslog
    "|": (r"[a-zA-Z0-9][\w.-]{0,60} {1,30}\| ?",),  # docker compose
}
_FENCE = ("```", "~~~")
_NO_DIGITS = dict.fromkeys(range(ord("0"), ord("9") + 1))
_ENTITIES = ("&lt;", "&gt;", "&quot;", "&amp;", "&#39;", "&#x27;", "&nbsp;", "&#160;", "&apos;")


def strip_escapes(text: str) -> str:
    """The text without terminal control sequences and invisible characters."""
    if any(e in text for e in _ESCAPES):
        text = re.sub(_ANSI, "", text)
    if "[" in text and ("m" in text):
        text = re.sub(_LOST_ESCAPE, "", text)
    return text if text.isprintable() else text.translate(_CONTROL)


def peel(text: str) -> tuple[str, int | None]:
    """The text without the prefixes of launchers, containers and loggers, and the rank they told."""
    rank: int | None = None
    for _ in range(6):
        first = text[:1]
        key = "0" if first.isdigit() else first
        patterns = _BY_START.get(key, ())
        if "|" in text[:95] and first.isalnum():
            patterns = (*patterns, *_BY_START["|"])
        if first.isupper():
            patterns = (*patterns, *_BY_START["A"], *_BY_START["L"])
        m = next((m for p in patterns if (m := re.match(p, text)) is not None and m.end()), None)
        if m is None:
            break
        number = next((g for g in m.groups() if g), None)
        rank = rank if number is None else int(number)
        text = text[m.end() :]
    return text, rank


_MESSAGES = (
    "log", "message", "msg", "text", "event", "data", "line",
    "exc_info", "exception", "stack_trace", "stack", "traceback",
)  # fmt: skip


def _json_message(text: str) -> str | None:
    """The message of a line of a JSON log (docker json-file, structured loggers), with its traceback."""
    if not (text.startswith(('{"', '{ "')) and text.endswith("}")):
        return None
    try:
        record = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return None
    inside = [record, *(x for x in record.values() if isinstance(x, dict))]
    found = [value for r in inside for name in _MESSAGES if isinstance(value := r.get(name), str)]
    return "\n".join(dict.fromkeys(found)) if found else None


# ---- the whole paste ---------------------------------------------------------------------------


def clean(log: bytes | str) -> Paste:
    """The cleaned log."""
    text = decode(log) if isinstance(log, bytes) else log.removeprefix("\ufeff")
    return clean_lines(enumerate(text.split("\n"), 1))


def clean_lines(numbered: Iterable[tuple[int, str]]) -> Paste:
    """The cleaned log of numbered raw lines (some may have been left out)."""
    raw = [x for x in _split(numbered) if not x[1].lstrip().startswith(_FENCE)]
    texts = _dedent(_unquote([t for _, t in raw]))
    numbering = _launcher_prefix(texts)
    lines: list[Line] = []
    prefixes: list[str] = []
    for (number, _), text in zip(raw, texts, strict=True):
        rank: int | None = None
        body = text
        if numbering and (m := re.match(numbering, body)):
            rank = int(m.group(1)) if m.group(1).isdigit() else None
            body = body[m.end() :]
        body, told = peel(body)
        lines.append(Line(number, _unbox(body), rank if told is None else told))
        prefixes.append(text[: len(text) - len(body)].translate(_NO_DIGITS))
    if strange := _strange_prefix([x.text for x in lines]):
        for i, line in enumerate(lines):
            if m := re.match(strange, line.text):
                lines[i] = Line(line.number, line.text[m.end() :], line.rank)
                prefixes[i] += m.group().translate(_NO_DIGITS)
    # Widths are those of the window, with whatever stood in front.
    joins = tuple(_few_alike(dict.fromkeys(_joins(lines, [len(t) for _, t in raw], prefixes))))
    whole = "\n".join([*(x.text for x in lines), *(x.text for x in joins)])
    return Paste(tuple(lines), joins, whole, "\n".join(dict.fromkeys(prefixes)))


def _split(numbered: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Lines without escapes; progress bars and JSON records as the lines that they hold."""
    for number, text in numbered:
        text = text.rstrip("\r")
        for piece in text.split("\r") if "\r" in text else (text,):
            bare = plain(strip_escapes(piece)).rstrip()
            if "&" in bare and any(e in bare for e in _ENTITIES):
                bare = _unescape(bare)
            message = _json_message(bare)
            for part in (bare,) if message is None else strip_escapes(message).split("\n"):
                if part or not piece:
                    yield number, part.rstrip()


def _dedent(texts: list[str]) -> list[str]:
    """Without the indentation that all lines share."""
    margin = min((len(t) - len(t.lstrip(" ")) for t in texts if t), default=0)
    return [t[margin:] for t in texts] if margin else texts


def _unescape(text: str) -> str:
    """Without the entities of a web page."""
    import html

    return plain(html.unescape(text))


def _unbox(text: str) -> str:
    """Without the frame that rich and pip draw around a text."""
    if "│" in text or "┃" in text:
        text = re.sub(r"\s*[│┃]\s*$", "", re.sub(r"^\s*[│┃]\s(?:❱\s)?", "", text))
    return text


def _unquote(texts: list[str]) -> list[str]:
    """Without mail quoting (``> ``); a Python prompt is none."""
    filled = [t for t in texts if t]
    starts = [t for t in filled if t.startswith(">")]
    if not starts:
        return texts
    tight = sum(not t.startswith(">>> ") for t in starts)
    pattern = r"^(?:>(?!>>)[ \t]?)+" if tight > 0.6 * len(filled) else r"^(?:>(?=\s|$)[ \t]?)+"
    return [re.sub(pattern, "", t) if t.startswith(">") else t for t in texts]


_SRUN = r" {0,5}(\d{1,5}): "
_PDSH = r"([a-zA-Z][\w.-]{1,60}): "


def _launcher_prefix(texts: Sequence[str]) -> str:
    """``srun -l`` or ``pdsh`` numbering, taken as such only when most lines carry it."""
    filled = [t for t in texts if t.strip()]
    if len(filled) < 2 or sum(": " in t[:62] for t in filled) <= 0.6 * len(filled):
        return ""
    if sum(1 for t in filled if re.match(_SRUN, t)) > 0.6 * len(filled):
        return _SRUN
    hosts = [m.group(1) for t in filled if (m := re.match(_PDSH, t))]
    if len(hosts) > 0.7 * len(filled) and len(set(hosts)) < 0.3 * len(filled):
        return _PDSH
    return ""


_TRACEBACK = "Traceback (most recent call last):"
_MAX_PREFIX = 120


def _strange_prefix(texts: Sequence[str]) -> str:
    """What loggers that nobody has told us of put before each line; "" when there is nothing.

    Python writes a traceback from the first column, so what stands before one, and before the frame
    that follows it, belongs to the logger.
    """
    found: dict[str, None] = {}
    for text, after in pairwise(texts):
        at = text.find(_TRACEBACK)
        if 0 < at <= _MAX_PREFIX and not text[:at].isspace():
            pattern = re.sub(r"\d+", r"\\d+", re.escape(text[:at]))
            if re.match(rf"{pattern}\s+File \"", after):
                found[pattern] = None
    return "|".join(list(found)[:20])


_MIN_WIDTH = 24
_MAX_WIDTH = 250
"""Columns of a window."""
_NEAR = 12
"""Lines above and below of which none is wider than the window."""
_MAX_PARTS = 14
_ALIKE = 4
_FEW = 400
"""Lines of a paste that a person made by hand."""
_FRESH = (
    r"\s*(?:File \"|Traceback |During handling|The above exception|\$ |>>> |(?:[a-zA-Z_]\w*\.)*(?:[A-Z]\w*)?(?:Error|Exception|Warning):"
    r"|\d{1,3}%\||\{['\"]|[\w.-]{1,60}:\d{1,8}:\d{1,8} \[|(?:step|epoch)\W{1,2}\d"
    r"|\[\d+/\d+\]|(?:WARNING|ERROR|INFO|DEBUG|FAILED|fatal|error)\b)"
)


def _joins(lines: Sequence[Line], widths: Sequence[int], prefixes: Sequence[str]) -> Iterator[Line]:
    """Lines that look broken by a narrow window, put together.

    A terminal cuts at a fixed column, in the middle of a word; a mail program breaks at spaces. Both
    readings are offered: a wrong join costs nothing, since the lines themselves stay.
    """
    common = {w for w, n in Counter(w for w in widths if w >= _MIN_WIDTH).items() if n > 1}
    small = len(lines) <= _FEW
    widest = max(widths, default=0)
    if widest <= _MAX_WIDTH or small:
        common.add(widest)
    behind = -1
    for i, line in enumerate(lines[:-1]):
        if widths[i] < _MIN_WIDTH or i <= behind:
            continue
        cut = (widths[i] in common or widths[i] + 1 in common) and widths[i] + 1 >= max(
            widths[max(0, i - _NEAR) : i + _NEAR]
        )
        full = widths[i]
        j = i
        while j + 1 < len(lines) and j - i < _MAX_PARTS and _continues(lines[j], lines[j + 1]):
            after = lines[j + 1].text
            if prefixes[j + 1] and not (small and prefixes[i].startswith(prefixes[j + 1]) and _soft(after)):
                break
            hard = cut and full - 1 <= widths[j] <= full + 1
            # At a space a line is broken when the next word did not fit.
            word = len(after.split(maxsplit=1)[0])
            if not (
                hard
                or (small and widths[j] + word >= widest)
                or (widths[j] >= max(40, full - 25) and _soft(after))
            ):
                break
            full = max(full, widths[j])
            j += 1
        if j == i:
            continue
        parts = [x.text for x in lines[i : j + 1]]
        if cut or small:
            # A line one column short ended in a space that the clipboard dropped.
            yield Line(
                line.number,
                "".join(
                    p + " " * (w < full) for p, w in zip(parts, widths[i : j + 1], strict=False)
                ).rstrip(),
                line.rank,
                len(parts),
            )
        yield Line(line.number, " ".join(p.strip() for p in parts), line.rank, len(parts))
        if all(w == widths[i] for w in widths[i:j]):
            behind = j - 1  # surely one line: its parts start no other


def _few_alike(lines: Iterable[Line]) -> Iterator[Line]:
    """Without those of which a few like them, but for their digits, have gone before."""
    seen: Counter[str] = Counter()
    for line in lines:
        shape = line.text.translate(_NO_DIGITS)
        seen[shape] += 1
        if seen[shape] <= _ALIKE:
            yield line


def _soft(text: str) -> bool:
    """Whether a line can go on a sentence that was broken at a space."""
    first = text.lstrip()[:1]
    return first.islower() or first in "'\"(<`/-" or (first.isdigit() and len(text) < 200)


def _continues(line: Line, after: Line) -> bool:
    return (
        after.number - line.number == 1
        and after.rank in (None, line.rank)
        and bool(after.text.strip())
        and re.match(_FRESH, after.text) is None
    )
