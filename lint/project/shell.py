"""Read shell text: its simple commands with byte spans, and which of them a vendor test guards.

Not a shell: it knows words, quotes, substitutions, here-documents, blocks and lists well enough to say
which commands run unconditionally. What it cannot follow it leaves out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

# A condition with one of these words asks which vendor's machine this is.
VENDOR = re.compile(
    r"nvidia|nvcc|nsys|\bncu\b|rocprof|rocm|radeon|instinct|amdgpu|amd-smi|\bamd\b|\bAMD|hipcc|hipconfig|\bHIP\b|HIP_|\bhip\b|/dev/kfd|gfx\d"
    r"|cuda|CUDA|\bcu\d{2,3}\b|NV_?GPU|HAS_GPU"
    r"|\$\{?\w*(?:VENDOR|BACKEND|PLATFORM|ACCEL|GPU_TYPE|DEVICE_TYPE|DEVICE|TARGET|GPU_ARCH|FLAVOU?R|VARIANT)",
    re.IGNORECASE,
)
_NOT_VENDOR = re.compile(r"CUDA_VISIBLE_DEVICES|CUDA_DEVICE_MAX_CONNECTIONS|PYTORCH_CUDA_ALLOC_CONF")
_OPERATORS = (
    ";;&", "&>>", "<<<", "<<-", ";;", ";&", "&&", "||", "|&", "&>", ">&", "<&", "<<", ">>", ">|", "<>",
    ";", "&", "|", "(", ")", "<", ">",
)  # fmt: skip
_REDIRECTIONS = frozenset({"&>>", "&>", ">&", "<&", ">>", ">|", "<>", "<", ">", "<<<", "<<", "<<-"})
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_TESTS = frozenset(
    {"command", "which", "type", "hash", "test", "[", "[[", "grep", "lspci", "ls", "nvidia-smi", "nvcc"}
)
_EXITS = frozenset({"exit", "return", "die", "abort", "fail", "error", "false"})
_WRAPPERS = frozenset({"sudo", "exec", "time", "nohup", "env", "builtin", "then", "stdbuf", "nice"})
_PLAIN = re.compile(r"""\\(.)|["']""", re.DOTALL)


@lru_cache(maxsize=1024)
def vendor_test(text: str) -> bool:
    """Whether a condition asks for the GPU vendor."""
    return VENDOR.search(_NOT_VENDOR.sub("", text)) is not None


@dataclass(frozen=True, slots=True)
class Word:
    """One word as written; ``value`` is it without quotes and backslashes."""

    raw: str
    start: int
    end: int

    @property
    def value(self) -> str:
        return _PLAIN.sub(lambda m: m[1] or "", self.raw)

    @property
    def quoted(self) -> bool:
        return self.raw[:1] in "\"'"


@dataclass(slots=True)
class Command:
    """One simple command: leading assignments, words, and where it stands."""

    assignments: tuple[Word, ...]
    words: tuple[Word, ...]
    start: int
    end: int
    before: str = "\n"
    """The operator that stands before the command, a newline at the start of a list."""
    after: str = "\n"
    guarded: bool = False
    nested: bool = False
    """Inside a substitution."""
    _name_index: int = field(default=-1)

    @property
    def name_index(self) -> int:
        """Index of the word that names the program, after wrappers such as sudo and env."""
        if self._name_index < 0:
            i = 0
            while i < len(self.words) - 1 and self.words[i].value in _WRAPPERS:
                i += 1
                while i < len(self.words) - 1 and (
                    self.words[i].value.startswith("-") or _ASSIGNMENT.match(self.words[i].raw)
                ):
                    i += 1
            self._name_index = i
        return self._name_index

    @property
    def name(self) -> str:
        return self.words[self.name_index].value.rsplit("/", 1)[-1] if self.words else ""

    @property
    def arguments(self) -> tuple[Word, ...]:
        return self.words[self.name_index + 1 :]

    @property
    def alone(self) -> bool:
        """Whether the command is a whole statement of its own, from line start to line end."""
        return self.before == "\n" and self.after == "\n" and not self.nested


@dataclass(slots=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int


@dataclass(slots=True)
class _Frame:
    kind: str
    vendor: bool = False
    in_condition: bool = False
    condition: str = ""
    asked: list[Command] = field(default_factory=list)
    exits: bool = False
    rest: bool = False
    pattern: bool = False


def _skip_quoted(text: str, i: int, end: int) -> int:
    """Index after a quoted string or a substitution that starts at ``i``."""
    quote = text[i]
    if quote == "'":
        close = text.find("'", i + 1, end)
        return end if close < 0 else close + 1
    if quote == '"':
        i += 1
        while i < end:
            c = text[i]
            if c == "\\":
                i += 2
                continue
            if c == '"':
                return i + 1
            i = _skip_dollar(text, i, end) if c in "$`" else i + 1
        return end
    return i + 1


def _skip_dollar(text: str, i: int, end: int) -> int:
    if text[i] == "`":
        close = text.find("`", i + 1, end)
        return end if close < 0 else close + 1
    opener = text[i + 1] if i + 1 < end else ""
    if opener in ("(", "{"):
        closer = ")" if opener == "(" else "}"
        depth, i = 1, i + 2
        while i < end and depth:
            c = text[i]
            if c == "\\":
                i += 2
                continue
            if c in "\"'":
                i = _skip_quoted(text, i, end)
                continue
            if c == "`":
                i = _skip_dollar(text, i, end)
                continue
            depth += (c == opener) - (c == closer)
            i += 1
        return min(i, end)
    return i + 1


def _lex(text: str, start: int, end: int) -> list[_Token]:
    tokens: list[_Token] = []
    pending: list[tuple[str, bool]] = []
    i = start
    heredoc = ""
    while i < end:
        c = text[i]
        if c in " \t\r":
            i += 1
        elif c == "\\" and text[i + 1 : i + 2] in ("\n", "\r"):
            i += 3 if text[i + 1 : i + 3] == "\r\n" else 2
        elif c == "\n":
            tokens.append(_Token("op", "\n", i, i + 1))
            i += 1
            for delimiter, strip in pending:
                while i < end:
                    stop = text.find("\n", i, end)
                    stop = end if stop < 0 else stop
                    line = text[i:stop].rstrip("\r")
                    i = min(stop + 1, end)
                    if (line.lstrip("\t") if strip else line) == delimiter or line.strip() == delimiter:
                        break
            pending = []
        elif c == "#":
            stop = text.find("\n", i, end)
            i = end if stop < 0 else stop
        else:
            op = next((o for o in _OPERATORS if text.startswith(o, i)), None)
            if op in ("<", ">") and text[i + 1 : i + 2] == "(":
                op = None  # process substitution is a word
            if op is not None:
                tokens.append(_Token("op", op, i, i + len(op)))
                heredoc = op if op in ("<<", "<<-") else ""
                i += len(op)
                continue
            begin = i
            while i < end:
                c = text[i]
                if c in " \t\r\n" or (c in ";&|()<>" and not (c in "<>" and text[i + 1 : i + 2] == "(")):
                    break
                if c == "\\":
                    if text[i + 1 : i + 2] in ("\n", "\r"):
                        break
                    i += 2
                elif c in "\"'":
                    i = _skip_quoted(text, i, end)
                elif c in "$`" or c in "<>":
                    i = _skip_dollar(text, i, end)
                else:
                    i += 1
            i = min(i, end)
            word = _Token("word", text[begin:i], begin, i)
            if heredoc:
                pending.append((word.text.strip("\"'").replace("\\", ""), heredoc == "<<-"))
                heredoc = ""
            tokens.append(word)
    tokens.append(_Token("op", "\n", end, end))
    return tokens


def _substitutions(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Inner spans of the command substitutions in a word."""
    i = start
    while i < end:
        c = text[i]
        if c == "\\":
            i += 2
        elif c == "'" and text.count('"', start, i) % 2 == 0:
            i = _skip_quoted(text, i, end)
        elif c == "`":
            stop = _skip_dollar(text, i, end)
            yield i + 1, stop - 1
            i = stop
        elif c in "$<>" and text[i + 1 : i + 2] == "(" and text[i + 2 : i + 3] != "(":
            stop = _skip_dollar(text, i, end)
            yield i + 2, stop - 1
            i = stop
        else:
            i += 1


def parse(text: str, start: int = 0, end: int | None = None) -> list[Command]:
    """All simple commands of ``text[start:end]`` in order, substitutions included."""
    commands: list[Command] = []
    _parse(text, start, len(text) if end is None else end, commands, guarded=False, nested=False)
    return commands


def _parse(text: str, start: int, end: int, out: list[Command], *, guarded: bool, nested: bool) -> None:
    tokens = _lex(text, start, end)
    frames = [_Frame("top")]
    words: list[Word] = []
    before = "\n"
    chain_vendor = False
    last: list[Command] = []  # the commands of the list element before the operator
    function = ""
    i = 0

    def flush(after: str) -> None:
        nonlocal words, before, chain_vendor, last, function
        if words:
            split = 0
            while split < len(words) and _ASSIGNMENT.match(words[split].raw):
                split += 1
            command = Command(
                tuple(words[:split]), tuple(words[split:]), words[0].start, words[-1].end, before, after,
                guarded or chain_vendor or any(f.vendor or f.rest for f in frames), nested,
            )  # fmt: skip
            source = text[command.start : command.end]
            for frame in frames:
                if frame.in_condition:
                    frame.condition += source + "\n"
                    frame.asked.append(command)
            if before == "||" and last:
                if command.name in _EXITS:
                    if any(c.name in _TESTS and vendor_test(text[c.start : c.end]) for c in last):
                        frames[-1].rest = True
                elif command.words and command.words[0].raw != "{":
                    for c in last:
                        c.guarded = True
            if command.name in ("exit", "return"):
                for frame in reversed(frames):
                    if frame.kind in ("if", "case"):
                        frame.exits = True
                        break
            if command.name in _TESTS and vendor_test(source):
                chain_vendor = True
            out.append(command)
            last = [*last, command] if before in ("|", "|&") else [command]
            for word in words:
                for a, b in _substitutions(text, word.start, word.end):
                    _parse(text, a, b, out, guarded=command.guarded, nested=True)
        elif after == "\n" and before not in ("\n", ";"):
            return  # a newline after && or | continues the list
        words = []
        before = "\n" if after in ("\n", ";;", ";&", ";;&") else after
        if after in ("\n", ";", "&", ";;"):
            chain_vendor = False
            last = []

    while i < len(tokens):
        token = tokens[i]
        i += 1
        top = frames[-1]
        if top.pattern:
            if token.kind == "word" and token.text == "esac":
                frames.pop()
                top.pattern = False
            elif token.text == ")":
                top.pattern = False
                top.vendor = top.rest or vendor_test(top.condition)
            elif token.kind == "word":
                top.condition += " " + token.text
            continue
        if token.kind == "word":
            if not words:
                match token.text:
                    case "if" | "while" | "until":
                        frames.append(_Frame("if" if token.text == "if" else "loop", in_condition=True))
                        before = "\n"
                        continue
                    case "elif":
                        top.in_condition = True
                        before = "\n"
                        continue
                    case "then" | "do":
                        if top.in_condition:
                            top.in_condition = False
                            if vendor_test(top.condition):
                                top.vendor = True
                                for c in top.asked:
                                    c.guarded = True
                        before = "\n"
                        continue
                    case "else":
                        before = "\n"
                        continue
                    case "fi" | "done" | "esac" | "}":
                        if len(frames) > 1:
                            frames.pop()
                            if top.vendor and top.exits and top.kind == "if":
                                frames[-1].rest = True
                        before = ";"
                        continue
                    case "{":
                        frames.append(_Frame("brace", vendor=bool(function) and vendor_test(function)))
                        function = ""
                        before = "\n"
                        continue
                    case "case":
                        subject = ""
                        while i < len(tokens) and tokens[i].text != "in":
                            subject += tokens[i].text
                            i += 1
                        i += 1
                        frames.append(_Frame("case", pattern=True, rest=vendor_test(subject)))
                        continue
                    case "function":
                        if i < len(tokens):
                            function = tokens[i].text
                            i += 1
                        if [t.text for t in tokens[i : i + 2]] == ["(", ")"]:
                            i += 2
                        continue
                    case "!":
                        continue
            if words and words[0].raw in ("[[", "[") and token.text == "]]":
                pass
            words.append(Word(token.text, token.start, token.end))
            continue
        op = token.text
        if words and words[0].raw == "[[" and words[-1].raw != "]]" and op != "\n":
            words.append(Word(op, token.start, token.end))
            continue
        if op in _REDIRECTIONS:
            if words and words[-1].raw.isdigit() and words[-1].end == token.start:
                words.pop()
            if i < len(tokens) and tokens[i].kind == "word":
                i += 1
            continue
        if op == "(":
            if len(words) == 1 and i < len(tokens) and tokens[i].text == ")":
                function = words[0].raw
                words = []
                i += 1
                continue
            if not words:
                if i < len(tokens) and tokens[i].text == "(" and tokens[i].start == token.end:
                    depth = 1  # arithmetic
                    while i < len(tokens) and depth:
                        depth += (tokens[i].text == "(") - (tokens[i].text == ")")
                        i += 1
                    continue
                frames.append(_Frame("subshell", vendor=bool(function) and vendor_test(function)))
                function = ""
                before = "\n"
                continue
            # An array assignment: A=(...). Its words are values, not commands.
            depth = 1
            while i < len(tokens) and depth:
                depth += (tokens[i].text == "(") - (tokens[i].text == ")")
                i += 1
            continue
        if op == ")":
            flush("\n")
            if len(frames) > 1 and frames[-1].kind == "subshell":
                frames.pop()
            before = ";"
            continue
        flush(op)
        if op in (";;", ";&", ";;&"):
            for frame in reversed(frames):
                if frame.kind == "case":
                    frame.pattern, frame.condition, frame.vendor = True, "", False
                    break
