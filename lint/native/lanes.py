"""Lane semantics: does the code count in 32-lane warps or in the waves of the GPU?"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Literal, TypeAlias, TypeVar

from .lexer import NUMBER, WORD
from .unit import Call, Unit

T = TypeVar("T")


def per_unit(question: Callable[[Unit], T]) -> Callable[[Unit], T]:
    """Answer a question about a unit once."""
    key = f"_{question.__name__}"

    @wraps(question)
    def ask(unit: Unit) -> T:
        if key not in unit.answers:
            unit.answers[key] = question(unit)
        answer: T = unit.answers[key]
        return answer

    return ask


Style: TypeAlias = Literal["warp32", "wave", "mixed", "none"]

SHUFFLES = ("__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync")
WAVE64 = ("wave64",)
_LANE_NAME = re.compile(r"warp|wave|lane", re.IGNORECASE)
FULL = 0xFFFFFFFF


def mask_value(unit: Unit, call: Call) -> int | None:
    """The first argument as a 64-bit number, where it is a constant."""
    if not call.args:
        return None
    value = unit.value(*call.args[0])
    return None if value is None else value & 0xFFFFFFFFFFFFFFFF


def is_full(unit: Unit, call: Call) -> bool:
    """Whether the mask names all 32 lanes of a CUDA warp (``0xffffffff``, ``-1``, ``~0u``, FULL_MASK)."""
    value = mask_value(unit, call)
    return value is not None and value & FULL == FULL


def is_wave_name(unit: Unit, name: str) -> bool:
    """``warpSize``, or a warp constant that is not 32 in every AMD build."""
    if name == "warpSize":
        return True
    if not _LANE_NAME.search(name):
        return False
    values = unit.values(name)
    return (
        bool(values)
        and values != {32}
        and (64 in values or (None in values and _names_warp_size(unit, name)))
    )


def _names_warp_size(unit: Unit, name: str) -> bool:
    for owner in (unit, *unit.headers):
        for macro in owner.pre.macros.get(name, ()):
            if macro.amd is not False and any(
                t == "warpSize" or "WAVEFRONT" in t or t == "C10_WARP_SIZE"
                for t in owner.texts[macro.first : macro.last]
            ):
                return True
        for token, first, last in owner.constants.get(name, ()):
            if owner.live(token) and any(
                t == "warpSize" or "WAVEFRONT" in t or t == "C10_WARP_SIZE" for t in owner.texts[first:last]
            ):
                return True
    return name in ("C10_WARP_SIZE", "HIPCUB_WARP_THREADS")


@per_unit
def wave_words(unit: Unit) -> list[int]:
    """Tokens of the file that name the wave size of the GPU."""
    names = [
        n
        for n in unit.tokens.words
        if (n == "warpSize" and not unit.provided(n))
        or n == "C10_WARP_SIZE"
        or (_LANE_NAME.search(n) and len(n) > 3 and is_wave_name(unit, n))
    ]
    return list(unit.words(*names))


@per_unit
def style(unit: Unit) -> Style:
    """In what the file counts lanes."""
    wave = bool(wave_words(unit))
    narrow = bool(narrow_indices(unit))
    return "mixed" if wave and narrow else "wave" if wave else "warp32" if narrow else "none"


def thread_names(unit: Unit) -> set[str]:
    """Variables of the file that hold ``threadIdx.x`` itself."""
    texts = unit.texts
    names = set()
    for i in unit.tokens.words.get("threadIdx", ()):
        if (
            texts[i + 1 : i + 4] == [".", "x", ";"]
            and texts[i - 1] == "="
            and unit.tokens.kinds[i - 2] == WORD
        ):
            names.add(texts[i - 2])
    return names


def grid_names(unit: Unit) -> set[str]:
    """Variables that hold ``blockIdx.x * blockDim.x + threadIdx.x``, in any order."""
    texts = unit.texts
    names = set()
    for i in unit.tokens.words.get("threadIdx", ()):
        for first, plus in ((i, i + 3), (i - 8, i - 1)):
            written = texts[first : first + 11]
            if (
                texts[plus] == "+"
                and sorted(written[::4]) == ["blockDim", "blockIdx", "threadIdx"]
                and sorted(written[3::4]) == ["*", "+"]
                and texts[first - 1] == "="
                and texts[first + 11] == ";"
            ):
                names.add(texts[first - 2])
    return names


def _names_a_lane(unit: Unit, index: Index) -> bool:
    holder = index.first - 2
    return unit.texts[index.first - 1] == "=" and _LANE_NAME.search(unit.texts[holder]) is not None


@dataclass(frozen=True, slots=True)
class Index:
    """``index op literal``: token numbers of the first token of the index, the operator and the last token of the literal."""

    first: int
    op: int
    literal: int
    last: int

    def replacement(self, unit: Unit) -> tuple[int, int, str]:
        """The same index counted in ``warpSize`` lanes: (first token, last token, text)."""
        return self.op, self.last, ("% warpSize" if unit.texts[self.op] in ("&", "%") else "/ warpSize")


@per_unit
def narrow_indices(unit: Unit) -> list[Index]:
    """Lane and warp numbers by 32: ``threadIdx.x & 31``, ``tid % kWarp``, ``threadIdx.x >> 5``, ``/ 32``."""
    wanted = {"&": 31, "%": 32, ">>": 5, "/": 32}
    found = _indices(unit, ["threadIdx", *sorted(thread_names(unit))], wanted)
    # a number in the whole grid is data as often as a thread: only where the result is called a lane or a warp
    found += [x for x in _indices(unit, sorted(grid_names(unit)), wanted) if _names_a_lane(unit, x)]
    return sorted(found, key=lambda x: x.first)


@per_unit
def narrow_counts(unit: Unit) -> list[Index]:
    """Numbers of warps by 32: ``blockDim.x >> 5``, ``blockDim.x / 32``."""
    return _indices(unit, ["blockDim"], {">>": 5, "/": 32})


_TIGHTER = {
    "&": frozenset(["+", "-", "*", "/", "%", "<<", ">>"]),
    ">>": frozenset(["+", "-", "*", "/", "%"]),
    "%": frozenset(["*", "/", "%"]),
    "/": frozenset(["*", "/", "%"]),
}


def _indices(unit: Unit, names: list[str], wanted: dict[str, int]) -> list[Index]:
    found = []
    texts, kinds = unit.texts, unit.tokens.kinds
    for first in unit.words(*names):
        i = first + 1
        if texts[first] in ("threadIdx", "blockDim"):
            if texts[i : i + 2] != [".", "x"]:
                continue
            i += 2
        start = first
        while texts[i] == ")" and texts[start - 1] == "(":
            start, i = start - 1, i + 1
        op = texts[i]
        if op not in wanted or texts[start - 1] in _TIGHTER[op] or texts[start - 1] in (".", "->"):
            continue
        j, last = i + 1, i + 1
        if texts[j] == "(" and j in unit.tokens.match:
            last = unit.tokens.match[j]
            value = unit.value(j + 1, last)
        else:
            value = unit.value(j, j + 1) if kinds[j] in (WORD, NUMBER) else None
        if value == wanted[op] and texts[last + 1] not in ((_TIGHTER["&"]) if op == "&" else ()):
            found.append(Index(start, i, j, last))
    return found


def constant_tokens(unit: Unit, indices: list[Index]) -> list[int]:
    """Where the constants that these indices use are defined in this file (tokens of their names)."""
    names = {
        unit.texts[k] for x in indices for k in range(x.literal, x.last + 1) if unit.tokens.kinds[k] == WORD
    }
    found = [token for n in names for token, _, _ in unit.constants.get(n, ()) if unit.live(token)]
    found += [m.directive.first for n in names for m in unit.pre.macros.get(n, ()) if m.amd is not False]
    return sorted(found)


def mask_definitions(unit: Unit, calls: list[Call]) -> list[tuple[int, int]]:
    """Where this file defines the constants that serve as masks of the calls: (first, last) tokens of each."""
    names = {unit.texts[i] for c in calls for i in range(*c.args[0]) if unit.tokens.kinds[i] == WORD}
    found = {
        (token, last - 1)
        for n in names
        for token, _, last in unit.constants.get(n, ())
        if unit.live(token) and unit.function(token) is None
    }
    found |= {
        (m.directive.first, m.last - 1)
        for n in names
        for m in unit.pre.macros.get(n, ())
        if m.amd is not False and m.params is None and m.first < m.last
    }
    return sorted(found)


def has_width(call: Call) -> bool:
    """Whether a masked shuffle names the width of its groups."""
    return len(call.args) >= 4


def style_around(unit: Unit, names: tuple[str, ...]) -> Style:
    """How lanes are counted in the functions that use these builtins, and in those that call them."""
    reached = {f.name for i in unit.words(*names) if (f := unit.function(i)) is not None}
    for i in unit.words(*_macros_with(unit, names)):
        function = unit.function(i)
        if function is not None:
            reached.add(function.name)
    if not reached:
        return style(unit)
    for _ in range(2):
        callers = set()
        for name in reached:
            for i in unit.tokens.words.get(name, ()):
                function = unit.function(i)
                if function is not None and function.name != name and i > function.body:
                    callers.add(function.name)
        if callers <= reached:
            break
        reached |= callers

    def inside(i: int) -> bool:
        function = unit.function(i)
        return function is not None and function.name in reached and (function.device or function.kernel)

    wave = any(inside(i) for i in wave_words(unit))
    narrow = any(inside(x.op) for x in narrow_indices(unit))
    return "mixed" if wave and narrow else "wave" if wave else "warp32" if narrow else "none"


def _macros_with(unit: Unit, names: tuple[str, ...]) -> list[str]:
    """Macros whose AMD body holds one of the names."""
    return [
        name
        for name, macros in unit.pre.macros.items()
        if any(m.amd is not False and any(t in names for t in unit.texts[m.first : m.last]) for m in macros)
    ]


def shuffle_helper(unit: Unit, name: str) -> tuple[str, ...] | None:
    """The piece of the compatibility text that serves all calls of this shuffle in the file.

    None when the file counts partly in warps of 32 and partly in waves: then each call needs a decision.
    (An exchange by xor stays inside its 32 lanes by itself.)
    """
    counted = style_around(unit, (name,))
    if counted == "mixed" and name != "__shfl_xor_sync":
        return None
    widths = {has_width(c) for c in unit.calls(name) if len(c.args) >= 3}
    if counted in ("wave", "mixed") or widths == {True}:
        return (f"{name}+width",)
    return (name,) if widths == {False} else (f"{name}+mixed",)


def vote_helper(unit: Unit, name: str) -> tuple[str, ...] | None:
    """The piece that serves this vote; waves need their own types, so only code that counts in 32 has one."""
    counted = style_around(unit, (name,))
    if counted == "wave" and name in ("__any_sync", "__all_sync"):
        return (f"{name}+wave",)
    return (name,) if counted in ("warp32", "none") else None
