"""One CUDA C++ text as the native rules see it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..finding import Edit, Finding, Fix
from ..settings import Settings
from ..source import Source
from . import builds
from .functions import Function, Functions
from .lexer import DIRECTIVE, NUMBER, WORD, Tokens, tokenize
from .preprocess import Branch, Macro, Preprocessed, Truth, World, evaluate, means_amd, preprocess

if TYPE_CHECKING:
    from ..repo import Repo

_DECLARES = frozenset(
    [
        "return",
        "else",
        "case",
        "goto",
        "new",
        "delete",
        "throw",
        "typename",
        "operator",
        "sizeof",
        "and",
        "or",
        "not",
        "co_return",
        "in",
    ]
)


@dataclass(slots=True)
class Call:
    """``name(args)``; all fields are token indices. An argument is the half-open range of its tokens."""

    name: int
    open: int
    close: int
    args: list[tuple[int, int]]


@dataclass(slots=True)
class Launch:
    """``name<<<args>>>``; all fields are token indices."""

    name: int
    open: int
    close: int
    args: list[tuple[int, int]]


class Unit:
    """Tokens, preprocessor regions, functions and values of one source.

    The constructor never fails: text that is no C++ gives tokens that no rule knows.
    Rules ask for words and calls; both come without comments, strings and code that a ROCm build
    never sees. Positions are byte offsets of ``source.data``.
    """

    def __init__(self, source: Source, repo: Repo, settings: Settings, *, runtime: str = "") -> None:
        self.source = source
        self.repo = repo
        self.settings = settings
        self.runtime = runtime
        """Who compiles the text at run time (``cupy``, ``load_inline`` ...); empty for files."""
        self.origin = 0
        """Where the text starts, when it is a string inside a Python file."""
        self.options: list[tuple[int, int, str]] = []
        """Compiler options beside such a string that only nvrtc reads."""
        self.answers: dict[str, Any] = {}
        """What helpers have found out about this unit: each question is answered once."""

    # Many files hold a trigger and nothing else that concerns a rule: they are read when a rule asks for more
    # than the build.

    @cached_property
    def _read(self) -> tuple[Tokens, Preprocessed]:
        if self.runtime:
            tokens = tokenize(self.source.data)
            return tokens, preprocess(tokens, self._macro_elsewhere)
        known = builds.knowledge(self.repo)
        parsed = known.parsed(self.source)
        if parsed is not None:
            return parsed.tokens, parsed.pre
        # Nothing in a source that the build leaves out on AMD can go wrong there.
        nvidia_only = known.nvidia_only(self.repo, self.source.path)
        tokens = tokenize(b"" if nvidia_only else self.source.data)
        pre = preprocess(tokens, self._macro_elsewhere)
        known.offer(self)
        return tokens, pre

    @cached_property
    def tokens(self) -> Tokens:
        return self._read[0]

    @cached_property
    def pre(self) -> Preprocessed:
        return self._read[1]

    @cached_property
    def _in_directive(self) -> bytearray:
        """For every token whether it stands on a preprocessor line."""
        marks = bytearray(len(self.tokens.kinds))
        for d in self.tokens.directives:
            marks[d.token : d.last] = b"\1" * (d.last - d.token)
        return marks

    def _macro_elsewhere(self, pre: Preprocessed, name: str, world: World) -> int | None:
        return builds.knowledge(self.repo).macro(self, pre, name, world)

    # ---- words and calls -------------------------------------------------------------------

    @cached_property
    def texts(self) -> list[str]:
        return self.tokens.texts

    def has(self, *names: str) -> bool:
        """Whether one of the words stands anywhere in the code."""
        return any(n in self.tokens.words for n in names)

    def words(self, *names: str, guarded: bool = False) -> Iterator[int]:
        """Tokens that are one of the words and reach an AMD compiler, in order of the file.

        Macro bodies count; conditions, ``#undef`` and includes do not.
        """
        found = [i for n in names for i in self.tokens.words.get(n, ())]
        for i in sorted(found):
            if self._in_directive[i] and not self._in_macro_body(i):
                continue
            if guarded or self.live(i):
                yield i

    def _in_macro_body(self, i: int) -> bool:
        macro = self.macro_at(i)
        return macro is not None and i >= macro.first

    def macro_at(self, i: int) -> Macro | None:
        """The ``#define`` whose line holds the token."""
        if not self._in_directive[i]:
            return None
        starts, macros = self._macros_by_token
        return macros.get(starts[bisect_right(starts, i) - 1])

    @cached_property
    def _macros_by_token(self) -> tuple[list[int], dict[int, Macro]]:
        """The tokens that start directives, and the macros that they define."""
        macros = {m.directive.token: m for found in self.pre.macros.values() for m in found}
        return [d.token for d in self.tokens.directives], macros

    def calls(self, *names: str, guarded: bool = False) -> Iterator[Call]:
        """Calls of free functions (no members, no declarations) that reach an AMD compiler."""
        for i in self.words(*names, guarded=guarded):
            call = self.call(i)
            if call is not None and not self.is_member(i) and not self.declares(i, call):
                yield call

    def call(self, i: int) -> Call | None:
        """The call whose name is token ``i``; template arguments may stand between."""
        texts = self.texts
        n = self.next(i)
        if n < len(texts) and texts[n] == "<":
            depth, n = 1, n + 1
            limit = n + 40
            while n < min(len(texts), limit) and depth:
                t = texts[n]
                depth += (t == "<") - (t == ">") - 2 * (t == ">>") - 3 * (t == ">>>")
                if t in (";", "{", "}"):
                    return None
                n += 1
        if n >= len(texts) or texts[n] != "(" or n not in self.tokens.match:
            return None
        return Call(i, n, self.tokens.match[n], self.arguments(n))

    def arguments(self, opened: int) -> list[tuple[int, int]]:
        """Token ranges of the comma-separated parts between a bracket and its partner."""
        close = self.tokens.match.get(opened, opened)  # a truncated file: no arguments
        args: list[tuple[int, int]] = []
        start = i = opened + 1
        texts, match = self.texts, self.tokens.match
        angle = 0
        while i < close:
            t = texts[i]
            if t in ("(", "[", "{", "<<<") and i in match and match[i] > i:
                i = match[i]
            elif t == "<" and (end := self._template_end(i, close)):
                i = end
            elif t == "<" and texts[i - 1] in _TEMPLATES:
                angle += 1
            elif angle and t in (">", ">>"):
                angle = max(0, angle - len(t))
            elif t == "," and not angle:
                args.append((start, i))
                start = i + 1
            i += 1
        if start < close or args:
            args.append((start, close))
        return args

    def _template_end(self, i: int, close: int) -> int:
        """The ``>`` of the template arguments that the ``<`` at ``i`` opens; 0 where it compares.

        As compilers of such languages do: names, numbers and commas up to a ``>`` behind which no operand
        can follow are template arguments.
        """
        texts, kinds = self.texts, self.tokens.kinds
        if kinds[i - 1] != WORD:
            return 0
        depth, n = 1, i + 1
        while n < close:
            t = texts[n]
            if t == "(" and n in self.tokens.match:  # decltype(x), sizeof(T)
                n = self.tokens.match[n]
            elif t == "<":
                depth += 1
            elif t in (">", ">>", ">>>"):
                depth -= len(t)
                if depth <= 0:
                    after = texts[n + 1] if n + 1 <= close else ""
                    return n if depth == 0 and after in ("(", ")", ",", "::", "{", "<<<") else 0
            elif kinds[n] not in (WORD, NUMBER) and t not in (",", "::", "*", "&", "...", "+", "-", "/"):
                return 0
            n += 1
        return 0

    def is_member(self, i: int) -> bool:
        """Whether the word follows ``.`` or ``->``."""
        return self.texts[self.previous(i)] in (".", "->")

    def declares(self, i: int, call: Call) -> bool:
        """Whether ``name(...)`` declares or defines a function instead of calling one."""
        p = self.previous(i)
        if p < 0 or self.tokens.kinds[p] == DIRECTIVE:
            return False
        before = self.texts[p]
        typed = (self.tokens.kinds[p] == WORD and before not in _DECLARES) or before in ("*", "&", ">")
        if not typed:
            return False
        after = self.texts[self.next(call.close)] if self.next(call.close) < len(self.texts) else ""
        if before in ("*", "&", ">") and after != "{":
            return False
        return after in ("{", ";", "const", "noexcept", "->")

    def next(self, i: int) -> int:
        """The token after ``i`` in the same line of text: directives are stepped over."""
        i += 1
        n = len(self._in_directive)
        if i < n and self._in_directive[i] and not self._in_directive[i - 1]:
            while i < n and self._in_directive[i]:
                i += 1
        while i < n and self.texts[i] == "\\":
            i += 1
        return i

    def previous(self, i: int) -> int:
        i -= 1
        if i >= 0 and self._in_directive[i] and not self._in_directive[i + 1]:
            while i >= 0 and self._in_directive[i]:
                i -= 1
        while i >= 0 and self.texts[i] == "\\":
            i -= 1
        return i

    @cached_property
    def launches(self) -> list[Launch]:
        """All ``kernel<<<grid, block, bytes, stream>>>`` that reach an AMD compiler."""
        found = []
        for i in self.tokens.launches:
            close = self.tokens.match.get(i)
            name = self.previous(i)
            if close is None or name < 0 or not self.live(i):
                continue
            if self.texts[name] in (">", ">>"):
                depth = 0
                for _ in range(60):
                    depth += {">": 1, ">>": 2, "<": -1}.get(self.texts[name], 0)
                    if depth <= 0 or name == 0:
                        break
                    name = self.previous(name)
                name = self.previous(name)
            found.append(Launch(name, i, close, self.arguments(i)))
        return found

    # ---- guards ----------------------------------------------------------------------------

    def live(self, i: int, world: World = "amd") -> bool:
        """Whether the token may reach the compiler of that world."""
        return self.pre.live(self.tokens.starts[i], world) is not False

    def truth(self, i: int, world: World = "amd") -> Truth:
        """The three-valued form of ``live``."""
        return self.pre.live(self.tokens.starts[i], world)

    def amd_only(self, i: int) -> bool:
        """Whether NVIDIA builds never see the token."""
        return self.truth(i, "nvidia") is False

    def branch(self, i: int) -> Branch | None:
        return self.pre.branch(self.tokens.starts[i])

    # ---- names that somebody provides --------------------------------------------------------

    def provided(self, name: str) -> bool:
        """Whether the repository itself gives AMD builds a macro or a function of this name."""
        if self._defines(name):
            return True
        return any(header._defines(name) for header in self.headers)

    def _defines(self, name: str) -> bool:
        if any(m.amd is not False for m in self.pre.macros.get(name, ())):
            return True
        if name not in self.tokens.words:
            return False
        if any(self.live(f.body) for f in self.functions.by_name.get(name, ())):
            return True
        # "template <int warpSize>", "const int warpSize = 64"
        return any(self.texts[i - 1] in _TYPES and self.live(i) for i in self.tokens.words[name] if i)

    def own_header(self, name: str) -> bool:
        """Whether an include means a file of the repository."""
        return builds.knowledge(self.repo).resolves(self.source.path, name)

    def initial(self, first: int, last: int) -> int | None:
        """Like ``value``, but a local variable also counts with what it was initialised with."""
        value = self.value(first, last)
        if value is None and last == first + 1 and self.tokens.kinds[first] == WORD:
            declared = self.declared(self.texts[first], first)
            if declared is not None and self.texts[declared[2]] == "=":
                end = declared[2] + 1
                while end < len(self.texts) and self.texts[end] not in (";", ","):
                    end = (
                        self.tokens.match.get(end, end) + 1 if self.texts[end] in ("(", "[", "{") else end + 1
                    )
                return self.value(declared[2] + 1, end)
        return value

    @cached_property
    def headers(self) -> list[Unit]:
        """The repository's own headers that this source includes."""
        return list(builds.knowledge(self.repo).headers(self))

    # ---- functions ---------------------------------------------------------------------------

    @cached_property
    def functions(self) -> Functions:
        return Functions(self.pre, self._in_directive)

    def function(self, i: int) -> Function | None:
        """The function around a token; None at file level and in macros."""
        return None if self._in_directive[i] else self.functions.at(i)

    def in_device(self, i: int) -> bool:
        """Whether the token runs on the GPU (macro bodies: unknown, so no)."""
        function = self.function(i)
        return function is not None and function.device

    def in_host(self, i: int) -> bool:
        function = self.function(i)
        return function is not None and not function.device

    # ---- values and types --------------------------------------------------------------------

    @cached_property
    def constants(self) -> dict[str, list[tuple[int, int, int]]]:
        """Named integer constants: name to (token of the name, first, last) of each initialiser."""
        table: dict[str, list[tuple[int, int, int]]] = {}
        texts, kinds = self.texts, self.tokens.kinds
        starts = sorted(i for w in ("const", "constexpr", "enum") for i in self.tokens.words.get(w, ()))
        for start in starts:
            i = start + 1
            limit = min(len(texts), start + 14)
            if texts[start] == "enum":
                brace = next((k for k in range(i, limit) if texts[k] in ("{", ";")), None)
                if brace is None or texts[brace] == ";" or brace not in self.tokens.match:
                    continue
                for first, last in self.arguments(brace):
                    if last - first > 2 and texts[first + 1] == "=":
                        table.setdefault(texts[first], []).append((first, first + 2, last))
                continue
            while i < limit and texts[i] not in ("=", "{", ";", "(", ")", ","):
                i += 1
            if i >= limit or texts[i] not in ("=", "{") or kinds[i - 1] != WORD:
                continue
            name = i - 1
            if texts[i] == "{":
                close = self.tokens.match.get(i)
                if close is None or close - i > 20:
                    continue
                table.setdefault(texts[name], []).append((name, i + 1, close))
                continue
            end = i + 1
            while end < len(texts) and texts[end] not in (";", ",") and end < i + 60:
                end = (
                    self.tokens.match[end]
                    if texts[end] in ("(", "[", "{") and end in self.tokens.match
                    else end
                )
                end += 1
            if end < len(texts):
                table.setdefault(texts[name], []).append((name, i + 1, end))
        return table

    def values(self, name: str, world: World = "amd", depth: int = 0) -> set[int | None]:
        """All values that a macro or constant can have in that world; empty: not a constant.

        The repository's own headers count where the file itself does not know the name.
        """
        if depth > 6:
            return {None}
        found = self._own_values(name, world, depth)
        if not found and self.pre.includes:
            for header in self.headers:
                found |= header._own_values(name, world, depth)
        return found

    def _own_values(self, name: str, world: World, depth: int) -> set[int | None]:
        found: set[int | None] = set()
        for macro in self.pre.macros.get(name, ()):
            if (
                macro.params is None
                and (macro.amd if world == "amd" else macro.nvidia) is not False
                and macro.first < macro.last
            ):
                found.add(self._evaluate(macro.first, macro.last, world, depth + 1, name))
        for token, first, last in self.constants.get(name, ()):
            if self.live(token, world):
                found.add(self._evaluate(first, last, world, depth + 1, name))
        return found

    def value(self, first: int, last: int, world: World = "amd") -> int | None:
        """Value of an integer expression in that world; None when unknown or not the same everywhere."""
        return self._evaluate(first, last, world, 0, "")

    def _evaluate(self, first: int, last: int, world: World, depth: int, itself: str) -> int | None:
        def value_of(name: str) -> int | None:
            if name == itself:
                return None
            values = self.values(name, world, depth)
            return next(iter(values)) if len(values) == 1 else None

        return evaluate(self.tokens, first, last, value_of)

    def declared(self, name: str, at: int) -> tuple[int, int, int] | None:
        """The declaration of a local variable or parameter seen from token ``at``.

        Returns (first token of the type, token of the name, token after it).
        """
        function = self.function(at)
        if function is None:
            return None
        found = self._declarations.get((name, function.start))
        if found is None:
            found = self._declarations[name, function.start] = [*self._declared_in(function, name)]
        earlier = bisect_left(found, (at,))
        if earlier:
            at, first, after = found[earlier - 1]
            return first, at, after
        if found and found[0][0] == at:
            return found[0][1], at, found[0][2]
        return None

    @cached_property
    def _declarations(self) -> dict[tuple[str, int], list[tuple[int, int, int]]]:
        return {}

    def _declared_in(self, function: Function, name: str) -> Iterator[tuple[int, int, int]]:
        """All declarations of a name in a function: (token of the name, first token of the type, token after it)."""
        places = self.tokens.words.get(name, [])
        for k in range(bisect_left(places, function.start), bisect_right(places, function.end)):
            i = places[k]
            if self._in_directive[i] or not self.live(i):
                continue
            n = self.next(i)
            if n >= len(self.texts) or self.texts[n] not in ("=", ";", ",", ")", "[", "{", "(", ":"):
                continue
            first = self._type_start(i)
            if first is not None:
                yield i, first, n

    def _type_start(self, name: int) -> int | None:
        i = self.previous(name)
        texts, kinds = self.texts, self.tokens.kinds
        while i >= 0 and texts[i] in ("*", "&", "const"):
            i = self.previous(i)
        if i < 0:
            return None
        if texts[i] == ",":
            # the second declarator of "unsigned a = 1, b = 2;"
            k = i
            for _ in range(40):
                k = self.previous(k)
                if k < 0 or texts[k] in (";", "{", "}", "("):
                    break
                if texts[k] in (")", "]") and k in self.tokens.match:
                    k = self.tokens.match[k]
            first = k + 1
            return (
                first
                if 0 <= first < name and texts[first] in _TYPES and texts[k] in (";", "{", "}")
                else None
            )
        if texts[i] == ">":
            depth = 0
            while i >= 0:
                depth += (texts[i] == ">") - (texts[i] == "<") + 2 * (texts[i] == ">>")
                if texts[i] in (";", "{", "}"):
                    return None
                if depth <= 0:
                    break
                i -= 1
            i = self.previous(i)
        if i < 0 or kinds[i] != WORD or texts[i] in _DECLARES:
            return None
        first = i
        while True:
            p = self.previous(first)
            if p >= 0 and (
                texts[p] == "::"
                or (
                    kinds[p] == WORD
                    and texts[p]
                    in _TYPES | {"const", "constexpr", "static", "volatile", "struct", "typename"}
                )
            ):
                first = p
                continue
            if p >= 0 and texts[first] == "::" and kinds[p] == WORD:
                first = p
                continue
            return first

    # ---- findings ------------------------------------------------------------------------------

    def span(self, first: int, last: int | None = None) -> tuple[int, int]:
        """Byte offsets from token ``first`` to the end of token ``last`` (inclusive)."""
        return self.tokens.starts[first], self.tokens.end(first if last is None else last)

    def slice(self, first: int, last: int) -> str:
        """Source text of the tokens ``[first, last)``."""
        if first >= last:
            return ""
        return self.source.text(self.tokens.starts[first], self.tokens.end(last - 1))

    def finding(
        self,
        code: str,
        first: int,
        last: int | None = None,
        *,
        detail: str = "",
        fix: Fix | None = None,
        targets: tuple[str, ...] = (),
        severity: str | None = None,
    ) -> Finding:
        start, end = self.span(first, last)
        return Finding(code, start, end, detail, fix, targets, severity)

    def edit(self, first: int, last: int, content: str) -> Edit:
        """Replace the tokens ``first`` to ``last`` (inclusive)."""
        start, end = self.span(first, last)
        return Edit(start, end, content)

    @cached_property
    def amd_test(self) -> str:
        """The condition for AMD that this file uses itself, or one that holds in every ROCm build.

        clang defines ``__HIP__``; host files compiled without it need ``__HIP_PLATFORM_AMD__`` for HIP's headers.
        """
        for name in ("USE_ROCM", "__HIP_PLATFORM_AMD__"):
            if name in self.tokens.words:
                return f"defined({name})"
        if self.runtime in ("load_inline", "cpp_extension") or self.build == "torch":
            return "defined(USE_ROCM)"
        return "defined(__HIP__)" if self.runtime else "defined(__HIP__) || defined(__HIP_PLATFORM_AMD__)"

    @cached_property
    def ported(self) -> bool:
        """Whether somebody has had AMD in mind here: a condition of the file or of its own headers asks for it."""
        return self.amd_native or any(owner._asks_for_amd for owner in (self, *self.headers))

    @cached_property
    def amd_native(self) -> bool:
        """Whether the file is HIP code already: it uses HIP's own headers or builtins outside of every guard."""
        if self.source.path.suffix == ".hip":
            return True
        if any(
            name.startswith("hip/") and self.pre.live(d.start, "nvidia") is not False
            for name, _, d in self.pre.includes
        ):
            return True
        names = [n for n in self.tokens.words if n.startswith("__builtin_amdgcn") or _HIP_WORD.fullmatch(n)]
        return any(self.live(i, "nvidia") for i in self.words(*names))

    @cached_property
    def _asks_for_amd(self) -> bool:
        texts = self.texts
        return any(
            any(means_amd(t) for t in texts[d.first : d.last])
            for d in self.tokens.directives
            if d.name in ("if", "ifdef", "ifndef", "elif")
        )

    @property
    def if_amd(self) -> str:
        """The opening line of a branch for AMD."""
        single = self.amd_test.startswith("defined(") and "||" not in self.amd_test
        return f"#ifdef {self.amd_test[8:-1]}" if single else f"#if {self.amd_test}"

    @property
    def if_not_amd(self) -> str:
        """The opening line of a branch for everybody else."""
        single = "||" not in self.amd_test
        return f"#ifndef {self.amd_test[8:-1]}" if single else f"#if !({self.amd_test})"

    @property
    def build(self) -> builds.Build:
        """How the file is compiled, as far as the repository or a comment of the file itself says."""
        if self.runtime:
            return "torch" if self.runtime == "load_inline" else "runtime"
        known = builds.knowledge(self.repo).build(self.repo, self.source.path)
        return "nvcc" if known == "unknown" and self._names_nvcc else known

    @cached_property
    def _names_nvcc(self) -> bool:
        """Whether a comment gives the command: ``nvcc -O3 this_file.cu``."""
        name = self.source.path.name
        for start, end in self.tokens.comments if b"nvcc" in self.source.data else ():
            comment = self.tokens.text[start:end]
            if "nvcc" in comment and re.search(rf"\bnvcc\b[^\n]*\b{re.escape(name)}", comment):
                return True
        return False


_HIP_WORD = re.compile(r"hip(?:Stream|Error|Malloc|Memcpy|Launch|Device|Event|Func|Get|Free)\w*")
_TEMPLATES = frozenset(
    [
        "static_cast",
        "reinterpret_cast",
        "const_cast",
        "dynamic_cast",
        "std",
        "vector",
        "array",
        "pair",
        "tuple",
        "max",
        "min",
        "numeric_limits",
        "WarpReduce",
        "BlockReduce",
        "tiled_partition",
        "thread_block_tile",
        "Array",
        "conditional_t",
        "is_same",
        "is_same_v",
    ]
)
_TYPES = frozenset(
    [
        "unsigned",
        "signed",
        "int",
        "long",
        "short",
        "char",
        "bool",
        "float",
        "double",
        "half",
        "auto",
        "size_t",
        "ptrdiff_t",
        "uint",
        "ulong",
        "uint8_t",
        "int8_t",
        "uint16_t",
        "int16_t",
        "uint32_t",
        "int32_t",
        "uint64_t",
        "int64_t",
        "std",
        "ull",
        "u32",
        "u64",
        "lanemask_t",
    ]
)
