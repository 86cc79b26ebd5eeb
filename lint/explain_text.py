"""Explanations for people: plain text for a terminal, Markdown for an issue or a chat."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..kb import fill
from ..kb.clean import Line
from ..kb.context import Context
from ..kb.match import Explanation, Match, Reason
from ..kb.model import Applies, Fix
from ..kb.translation import flat, is_wide
from . import explain

WIDTH = 96
_QUOTED = 3
_LONGEST = 400

LABELS: dict[str, dict[str, str]] = {
    "en": {
        "saw": "What the log says",
        "why": "Why",
        "machine": "This machine",
        "do": "What to do",
        "not": "What not to do",
        "code": "In your code",
        "sources": "Sources",
        "line": "line",
        "rank": "rank",
        "holds": "only for",
        "check": "check with",
        "careful": "careful",
        "tell": "to find out {name}",
        "more": "All about it",
        "also": "Another possible cause of the same lines",
        "second": "A second problem in the same log",
        "sure": "almost certain",
        "likely": "likely",
        "maybe": "possible",
        "of": "of",
        "none": "No known match",
        "none.empty": "The paste holds no text.",
        "none.healthy": "I see no error in this log. If something is wrong, paste the lines in which it shows, from the first error on.",
        "none.nvidia": "This looks like an NVIDIA machine or a CUDA build: amdlint only knows problems of AMD GPUs and ROCm.",
        "none.no-amd": "Nothing in the paste says that an AMD GPU or ROCm is involved, and without that I would only be guessing.",
        "none.python": "The error is an ordinary Python one ({error}), nothing that is particular to AMD GPUs.",
        "none.unknown": "There is an error on an AMD machine, but amdlint has no entry for it. I will not guess.",
        "next": "Next step",
        "next.facts": "Add the facts about the machine to the paste and ask again:",
        "next.error": "Paste the whole error, from the first traceback or error line on, with the command that led to it.",
        "next.tracker": "Still unknown? Report it with those facts where it belongs:",
        "guess": "Weak candidates are shown by --all.",
    },
    "zh": {
        "saw": "日志内容",
        "why": "原因",
        "machine": "本机信息",
        "do": "解决办法",
        "not": "不要这样做",
        "code": "相关代码",
        "sources": "来源",
        "line": "第",
        "rank": "rank",
        "holds": "仅适用于",
        "check": "验证",
        "careful": "注意",
        "tell": "查询 {name}",
        "more": "完整说明",
        "also": "同样的报错还可能由以下原因引起",
        "second": "同一日志中的另一个问题",
        "sure": "几乎确定",
        "likely": "很可能",
        "maybe": "有可能",
        "of": "，",
        "none": "没有已知的匹配",
        "none.empty": "粘贴的内容为空。",
        "none.healthy": "日志中没有看到错误。如果确实有问题，请从第一条报错开始粘贴。",
        "none.nvidia": "这看起来是 NVIDIA 机器或 CUDA 版本：amdlint 只了解 AMD GPU 和 ROCm 的问题。",
        "none.no-amd": "内容中没有任何与 AMD GPU 或 ROCm 有关的信息，无法判断，不做猜测。",
        "none.python": "这是普通的 Python 错误（{error}），与 AMD GPU 无关。",
        "none.unknown": "AMD 机器上确实出现了错误，但知识库中还没有对应的条目，不做猜测。",
        "next": "下一步",
        "next.facts": "请把以下机器信息加到日志里再试一次：",
        "next.error": "请粘贴完整的报错（从第一条 traceback 或错误行开始），并附上所执行的命令。",
        "next.tracker": "仍然没有答案？请带上这些信息到对应的项目提交 issue：",
        "guess": "加 --all 可查看可能性较低的候选。",
    },
}

FACTS = (
    "python -m torch.utils.collect_env",
    "rocminfo | grep -E 'Marketing Name|gfx'",
    "pip list | grep -iE 'torch|triton|rocm|flash|bitsandbytes|vllm|deepspeed'",
)
TRACKERS = (
    ("ROCm", "https://github.com/ROCm/ROCm/issues"),
    ("PyTorch", "https://github.com/pytorch/pytorch/issues"),
    ("amdlint", "https://github.com/amdlint/amdlint/issues"),
)

Style = Callable[..., str]


def render(
    answer: Explanation,
    format: str = "text",
    *,
    show_all: bool = False,
    lang: str = "en",
    color: bool = False,
) -> str:
    """The answer as text or as Markdown."""
    says = LABELS.get(lang, LABELS["en"])
    form: _Form = _Markdown(says) if format == "markdown" else _Text(says, color)
    shown = answer.matches + (answer.others if show_all else ())
    if not shown:
        return "\n".join(_nothing(answer, form)) + "\n"
    found = explain.findings(answer)
    blocks: list[str] = []
    for i, m in enumerate(shown):
        role = "" if i == 0 else says["also" if _same_lines(m, shown[0]) else "second"]
        blocks.append(
            "\n".join(_answer(m, answer.context, found.get(m.entry.code, ()), form, role, brief=i > 0))
        )
    return "\n\n".join(blocks) + "\n"


def _same_lines(one: Match, other: Match) -> bool:
    return bool({x.number for x in one.evidence} & {x.number for x in other.evidence})


class _Form:
    """How the parts of an answer look; the plain text form."""

    def __init__(self, says: dict[str, str], color: bool = False) -> None:
        self.says = says
        self.color = color

    def title(self, text: str, aside: str) -> str:
        return f"{text}{aside}"

    def head(self, text: str) -> str:
        return f"\n{text}"

    def prose(self, text: str) -> list[str]:
        return [text]

    def quote(self, lines: Sequence[str]) -> list[str]:
        return list(lines)

    def item(self, number: int, text: str) -> list[str]:
        return [f"{number}. {text}"]

    def block(self, kind: str, text: str) -> list[str]:
        return [text]

    def aside(self, label: str, text: str, *, code: bool = False) -> list[str]:
        return [f"{label}: {text}"]

    def point(self, text: str) -> list[str]:
        return [f"- {text}"]

    def link(self, label: str, url: str) -> list[str]:
        return ["", f"{label}: {url}"]


class _Text(_Form):
    def _paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.color else text

    def title(self, text: str, aside: str) -> str:
        lines = [self._paint(x, "1") for x in _wrapped(text, "", "  ")]
        return "\n".join(lines) + (f"\n  {self._paint(aside, '2')}" if aside else "")

    def head(self, text: str) -> str:
        return f"\n{self._paint(text, '1;36')}"

    def prose(self, text: str) -> list[str]:
        return _wrapped(text, "  ")

    def quote(self, lines: Sequence[str]) -> list[str]:
        return [f"  {self._paint('|', '2')} {x}" for x in lines]

    def item(self, number: int, text: str) -> list[str]:
        return [self._paint(x, "1") for x in _wrapped(f"{number}. {text}", "  ", "     ")]

    def block(self, kind: str, text: str) -> list[str]:
        if kind == "do":
            return _wrapped(text, "     ")
        lines = text.rstrip().split("\n")
        marks = {"run": "$ ", "env": "export "}
        mark = marks.get(kind, "")
        if kind == "env":
            return [f"       {mark}{x}" for x in lines]
        return [
            f"       {mark if i == 0 or not lines[i - 1].endswith(chr(92)) else '  '}{x}"
            for i, x in enumerate(lines)
        ]

    def aside(self, label: str, text: str, *, code: bool = False) -> list[str]:
        if code:
            return [f"     {self._paint(label + ':', '2')} {line}" for line in text.rstrip().split("\n")]
        return _wrapped(f"{label}: {text}", "     ", "       ")

    def point(self, text: str) -> list[str]:
        return _wrapped(f"- {text}", "  ", "    ")

    def link(self, label: str, url: str) -> list[str]:
        return [f"  {label}: {url}"]


class _Markdown(_Form):
    def title(self, text: str, aside: str) -> str:
        return f"### {text}\n" + (f"\n*{aside}*" if aside else "")

    def head(self, text: str) -> str:
        return f"\n**{text}**\n"

    def quote(self, lines: Sequence[str]) -> list[str]:
        return ["```text", *lines, "```"]

    def prose(self, text: str) -> list[str]:
        return [" ".join(p.split()) for p in text.strip().split("\n\n")]

    def block(self, kind: str, text: str) -> list[str]:
        if kind == "do":
            return ["", f"   {' '.join(text.split())}"]
        language = {"run": "bash", "env": "bash", "code": "python", "config": "text"}[kind]
        body = [f"export {x}" if kind == "env" else x for x in text.rstrip().split("\n")]
        return ["", f"   ```{language}", *(f"   {x}" for x in body), "   ```"]

    def aside(self, label: str, text: str, *, code: bool = False) -> list[str]:
        return ["", f"   {label}: `{text}`" if code and "\n" not in text else f"   {label}: {text}"]


_NEVER_FIRST = frozenset("，。；：、）！？》」』”’")


def _tokens(text: str) -> Iterator[str]:
    """What is never broken: words, the spaces between them, single Chinese characters."""
    for word in re.findall(r"\S+|\s+", text):
        start = 0
        if not word.isascii():
            for at, char in enumerate(word):
                if is_wide(char):
                    yield from (x for x in (word[start:at], char) if x)
                    start = at + 1
        if start < len(word):
            yield word[start:]


def _wrapped(text: str, indent: str, later: str | None = None) -> list[str]:
    """Text wrapped to the width; blank lines part paragraphs. Chinese breaks anywhere, other words at spaces."""
    lines: list[str] = []
    for paragraph in text.strip().split("\n\n"):
        start = indent if not lines or later is None else later
        line, used = start, len(start)
        for token in _tokens(flat(paragraph)):
            width = len(token) + (0 if token.isascii() else sum(map(is_wide, token)))
            if used + width > WIDTH and line.strip() and token not in _NEVER_FIRST:
                lines.append(line.rstrip())
                start = indent if later is None else later
                line, used = start, len(start)
            if token == " " and line == start:
                continue
            line, used = line + token, used + width
        lines.append(line.rstrip())
    return lines


def _answer(
    m: Match, context: Context, found: Sequence[Any], form: _Form, role: str, *, brief: bool
) -> Iterator[str]:
    says, entry = form.says, m.entry
    aside = "" if not m.evidence else f"{_trust(m.confidence, says)} ({m.confidence:.2f})"
    if role:
        yield form.head(role)
    yield form.title(f"{entry.code} {entry.title}", aside)
    if m.evidence:
        yield form.head(says["saw"])
        yield from form.quote([_quoted(x, says) for x in m.evidence[: 1 if brief else _QUOTED]])
    yield form.head(says["why"])
    yield from form.prose(entry.cause)
    if not brief and (machine := _machine(context)):
        yield from form.prose(f"{says['machine']}: {machine}")
    fixes = explain.fitting(entry, context)
    if fixes:
        yield form.head(says["do"])
        for number, fix in enumerate(fixes[: 2 if brief else None], 1):
            yield from _fix(number, fix, context, form)
    if found:
        yield form.head(says["code"])
        for item in found:
            yield from form.point(f"{item.path}:{item.start.row} {item.code} {item.message}")
            if item.fix is not None:
                yield from form.aside("fix", f"{item.fix.message}: amdlint --diff {item.path}")
    if entry.wrong_advice and not brief:
        yield form.head(says["not"])
        for text in entry.wrong_advice:
            yield from form.point(text)
    if not brief:
        yield form.head(says["sources"])
        for source in entry.sources:
            yield from form.point(f"{source.says} ({source.as_of}) {source.url}")
    yield from form.link(says["more"], entry.url)


def _trust(confidence: float, says: dict[str, str]) -> str:
    return says["sure" if confidence >= 0.9 else "likely" if confidence >= 0.7 else "maybe"]


def _quoted(line: Line, says: dict[str, str]) -> str:
    """A line of evidence with its number and rank."""
    text = line.text.strip()
    if len(text) > _LONGEST:
        text = text[: _LONGEST - 60] + " … " + text[-50:]
    rank = "" if line.rank is None else f" [{says['rank']} {line.rank}]"
    return f"{line.number}{rank}: {text}"


def _machine(context: Context) -> str:
    """What is known of the machine, in a few words."""
    parts = [*context.gpus[:2], *context.gfx[:3]]
    if context.rocm:
        parts.append(f"ROCm {context.rocm}")
    if context.torch:
        parts.append(f"torch {context.torch}")
    if context.python:
        parts.append(f"Python {context.python}")
    if context.os:
        parts.append({"linux": "Linux", "windows": "Windows", "wsl": "WSL"}[context.os])
    if context.first_failing_rank is not None and len(context.ranks) > 1:
        parts.append(f"rank {context.first_failing_rank} / {len(context.ranks)}")
    return ", ".join(parts)


def _fix(number: int, fix: Fix, context: Context, form: _Form) -> Iterator[str]:
    says = form.says
    yield from form.item(number, fix.summary)
    steps = [fill.step(s, context) for s in fix.steps]
    for kind, filled in steps:
        yield from form.block(kind, filled.text)
    verify = fill.fill(fix.verify, context) if fix.verify else fill.Filled("")
    unknown = explain.to_find_out(fix, context, [*(x for _, x in steps), verify])
    for name, command in unknown.items():
        yield from form.aside(says["tell"].format(name=f"<{name}>"), command, code=True)
    if (limits := _limits(fix.applies)) != "":
        yield from form.aside(says["holds"], limits)
    if verify.text:
        yield from form.aside(says["check"], verify.text, code=True)
    if fix.caveat:
        yield from form.aside(says["careful"], fix.caveat)


def _limits(applies: Applies) -> str:
    """A range in words."""
    parts = [] if applies.gfx == "all" else [", ".join(applies.gfx)]
    parts += [f"ROCm {applies.rocm}"] if applies.rocm else []
    parts += [f"torch {applies.torch}"] if applies.torch else []
    parts += [f"{name} {wanted}".strip() for name, wanted in applies.packages.items()]
    parts += (
        ["/".join({"linux": "Linux", "windows": "Windows", "wsl": "WSL"}[x] for x in applies.os)]
        if applies.os
        else []
    )
    return "; ".join(parts)


def _nothing(answer: Explanation, form: _Form) -> Iterator[str]:
    """What to say when nothing is known: why, and what would help."""
    says = form.says
    reason: Reason = answer.reason or "unknown"
    yield form.title(says["none"], "")
    yield from form.prose(
        says[f"none.{reason}"].format(error=answer.about.text.strip()[:120] if answer.about else "")
    )
    if answer.about is not None and reason in ("unknown", "no-amd", "python"):
        yield from form.quote([_quoted(answer.about, says)])
    if reason in ("nvidia", "empty"):
        return
    yield form.head(says["next"])
    if reason in ("unknown", "no-amd"):
        yield from form.prose(says["next.facts"])
        yield from form.quote(FACTS)
    if reason in ("healthy", "no-amd", "python"):
        yield from form.prose(says["next.error"])
    if reason == "unknown":
        yield from form.prose(says["next.tracker"])
        for name, url in TRACKERS:
            yield from form.point(f"{name}: {url}")
        if answer.others:
            yield from form.prose(says["guess"])
