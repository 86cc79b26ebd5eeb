"""Function bodies of a CUDA C++ file, and whether they run on the GPU."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from .lexer import WORD
from .preprocess import Preprocessed

_NOT_FUNCTIONS = frozenset(
    [
        "if",
        "for",
        "while",
        "switch",
        "catch",
        "return",
        "sizeof",
        "alignof",
        "decltype",
        "__launch_bounds__",
        "__attribute__",
        "alignas",
        "requires",
    ]
)
_AFTER_PARAMETERS = frozenset({"const", "noexcept", "override", "final", "mutable", "volatile", "try"})
_DEVICE_MACRO = re.compile(
    r"[A-Z0-9_]*(?:DEVICE|GPU_LAMBDA|GPU_FN|GPU_FUNC|CUDA_FUNC|HOSTDEV|_DEV_INLINE)[A-Z0-9_]*"
)
_KERNEL_MACRO = re.compile(r"[A-Z0-9_]*(?:GLOBAL|KERNEL)[A-Z0-9_]*")


@dataclass(slots=True)
class Function:
    """One function with a body. All fields are token indices but ``name`` and the flags."""

    name: str
    start: int
    """First token of the declaration."""
    params: int
    """The opening parenthesis."""
    body: int
    """The opening brace."""
    end: int
    """The closing brace."""
    kernel: bool
    device: bool
    host: bool


class Functions:
    """All functions of a file, found by their braces; robust against what stands inside them."""

    def __init__(self, pre: Preprocessed, in_directive: bytearray) -> None:
        self.found: list[Function] = []
        self.by_name: dict[str, list[Function]] = {}
        tokens = pre.tokens
        texts, kinds, match = tokens.texts, tokens.kinds, tokens.match
        device_macros, kernel_macros = set(), set()
        for name, macros in pre.macros.items():
            for macro in macros:
                body = texts[macro.first : macro.last]
                if "__device__" in body:
                    device_macros.add(name)
                if "__global__" in body:
                    kernel_macros.add(name)

        def previous(i: int) -> int:
            i -= 1
            while i >= 0 and in_directive[i]:
                i -= 1
            return i

        ends: list[int] = []  # closing braces of the functions that are open here
        for brace in tokens.opens:
            end = match.get(brace)
            if end is None:
                continue
            while ends and brace > ends[-1]:
                ends.pop()
            i = previous(brace)
            steps = 0
            while i >= 0 and texts[i] in _AFTER_PARAMETERS:
                i = previous(i)
            if i >= 0 and texts[i] != ")":
                # a trailing return type: ") -> type {"
                j = i
                while (
                    j >= 0
                    and steps < 12
                    and (kinds[j] == WORD or texts[j] in ("::", "<", ">", "*", "&", ","))
                ):
                    j, steps = previous(j), steps + 1
                if j < 0 or texts[j] != "->":
                    continue
                i = previous(j)
                while i >= 0 and texts[i] in _AFTER_PARAMETERS:
                    i = previous(i)
            if i < 0 or texts[i] != ")":
                continue
            params = match.get(i)
            if params is None:
                continue
            n = previous(params)
            # constructor initialisers: walk back over ": a(b), c(d)"
            while (
                n >= 0
                and kinds[n] == WORD
                and texts[previous(n)] in (",", ":")
                and texts[previous(previous(n))] in (")", "}")
            ):
                k = previous(previous(n))
                opened = match.get(k)
                if opened is None:
                    break
                params, n = opened, previous(opened)
            if n < 0:
                continue
            name = texts[n]
            lambda_like = name == "]"
            if name == ")" and match.get(n) is not None and texts[previous(match[n])] == "operator":
                name, n = "operator()", previous(match[n])
            elif lambda_like:
                n = match.get(n, n)
                name = ""
            elif kinds[n] != WORD and texts[previous(n)] != "operator":
                # a lambda with an attribute: [=] __device__ (int i) {
                continue
            if name in _NOT_FUNCTIONS or (name == "constexpr" and texts[previous(n)] == "if"):
                continue
            attributes = []
            start = n
            j = previous(n) if not lambda_like else n
            count = 0
            if name in ("__device__", "__host__") or _DEVICE_MACRO.fullmatch(name):
                lambda_like = True
            while (
                j >= 0
                and count < 80
                and texts[j] not in (";", "{", "}")
                and not (ends and lambda_like and texts[j] in ("(", ","))
            ):
                if texts[j] == ")" and j in match:
                    j = match[j]
                if texts[j] == ":" and texts[previous(j)] in ("public", "private", "protected"):
                    break
                if kinds[j] == WORD:
                    attributes.append(texts[j])
                start = j
                j, count = previous(j), count + 1
            if lambda_like:
                attributes += [name]
                between = texts[match.get(n, n) : params] if name == "" else []
                attributes += between
            kernel = any(
                a == "__global__"
                or a in kernel_macros
                or (a not in device_macros and _KERNEL_MACRO.fullmatch(a))
                for a in attributes
                if a != name
            )
            marked = any(
                a == "__device__" or a in device_macros or _DEVICE_MACRO.fullmatch(a) for a in attributes
            )
            if ends and not (lambda_like and marked):
                continue  # a plain lambda or a member of a local class belongs to the function around it
            host = (not marked and not kernel) or any(a == "__host__" or "HOST" in a for a in attributes)
            function = Function(name, start, params, brace, end, kernel, marked or kernel, host)
            self.found.append(function)
            self.by_name.setdefault(name, []).append(function)
            ends.append(end)
        self._starts = [f.start for f in self.found]

    def at(self, token: int) -> Function | None:
        """The innermost function whose declaration or body holds the token."""
        i = bisect_right(self._starts, token) - 1
        for back in range(i, max(-1, i - 30), -1):
            function = self.found[back]
            if function.end >= token:
                return function
        return None
