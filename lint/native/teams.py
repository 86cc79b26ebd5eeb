"""Groups of lanes: trees of shuffles by their width, rows of 32 threads, and indices that can be counted anew."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .functions import Function
from .lanes import Index, narrow_indices, per_unit, thread_names, vote_helper, wave_words
from .lexer import NUMBER, WORD
from .unit import Call, Launch, Unit

_COMPARE = frozenset({"==", "!=", "<", ">", "<=", ">="})
_UNMASKED = ("__shfl_up", "__shfl_down", "__shfl_xor")
_MASKED = tuple(f"{name}_sync" for name in _UNMASKED)


@dataclass(frozen=True, slots=True)
class Tree:
    """A loop of shuffles without a width. ``first`` to ``last`` are the tokens that set how many lanes it covers."""

    function: Function
    first: int
    last: int
    text: str
    """What stands there for a whole wave; empty for a tree without a loop."""


@per_unit
def trees_of_32(unit: Unit) -> list[Tree]:
    """Loops from 16 down, or from 1 up to 32, whose shuffles name no width."""
    found: dict[int, Tree] = {}
    steps: dict[int, dict[int, Tree]] = {}
    for call in unit.calls(*_UNMASKED, *_MASKED):
        masked = unit.texts[call.name] in _MASKED
        if len(call.args) != (3 if masked else 2):
            continue
        first, last = call.args[-1]
        function = unit.function(call.name)
        if function is None or last != first + 1:
            continue
        if unit.tokens.kinds[first] == NUMBER:  # written out, a line for each distance
            distance = unit.value(first, last)
            if distance in (16, 8, 4, 2, 1):
                written = steps.setdefault(function.start, {})
                written.setdefault(distance, Tree(function, call.name, call.close, ""))
                if len(written) == 5 and 16 in written:
                    found[written[16].first] = written[16]
            continue
        if unit.tokens.kinds[first] != WORD:
            continue
        loop = _loop(unit, function, call.name, unit.texts[first])
        if loop is not None:
            found[loop.first] = loop
    return [found[i] for i in sorted(found)]


def _loop(unit: Unit, function: Function, at: int, name: str) -> Tree | None:
    """The innermost ``for`` around the call that counts ``name`` over the distances inside 32 lanes."""
    texts, match = unit.texts, unit.tokens.match
    for k in reversed(unit.tokens.words.get("for", ())):
        opened = unit.next(k)
        if not function.body < k < at or opened not in match or match[opened] > at:
            continue
        parts = [i for i in range(opened, match[opened]) if texts[i] == ";"]
        if len(parts) != 2 or name not in texts[opened : parts[0]]:
            continue
        holder = next(i for i in range(opened, parts[0]) if texts[i] == name)
        if texts[holder + 1] != "=":
            return None
        start = unit.value(holder + 2, parts[0])
        if start == 16:
            return Tree(function, holder + 2, parts[0] - 1, "warpSize / 2")
        upwards = start == 1 and texts[parts[0] + 1 : parts[0] + 3] == [name, "<"]
        if upwards and unit.value(parts[0] + 3, parts[1]) == 32:
            return Tree(function, parts[0] + 3, parts[1] - 1, "warpSize")
        return None
    return None


@per_unit
def wave_numbers(unit: Unit) -> dict[str, int]:
    """Device functions that number their waves (``threadIdx.x / warpSize``): name to the token of the wave size."""
    found: dict[str, int] = {}
    threads = {"x", *thread_names(unit)}
    for i in wave_words(unit):
        function = unit.function(i)
        if function is None or not function.device or unit.texts[i - 1] != "/":
            continue
        holder = i - 2
        while unit.texts[holder] == ")":
            holder -= 1
        if unit.texts[holder] in threads and (
            unit.texts[holder] != "x" or unit.texts[holder - 2] == "threadIdx"
        ):
            found.setdefault(function.name, i)
    return found


def callers(unit: Unit, name: str) -> set[str]:
    """The functions of the file that call this one, directly or through others, and itself."""
    found = {name}
    for _ in range(3):
        for callee in list(found):
            for i in unit.words(callee):
                function = unit.function(i)
                if function is not None and function.name and unit.call(i) is not None:
                    found.add(function.name)
    return found


@per_unit
def rows_of_32(unit: Unit) -> dict[str, Launch]:
    """Kernels that this file launches with blocks of 32 x N threads, where a row of a block is a warp."""
    found: dict[str, Launch] = {}
    for launch in unit.launches:
        shape = _shape(unit, *launch.args[1]) if len(launch.args) > 1 else None
        if (
            shape is not None
            and len(shape) > 1
            and unit.value(*shape[0]) == 32
            and unit.value(*shape[1]) != 1
        ):
            found.setdefault(unit.texts[launch.name], launch)
    return found


def _shape(unit: Unit, first: int, last: int) -> list[tuple[int, int]] | None:
    """The arguments of the ``dim3`` that this expression or variable is."""
    texts = unit.texts
    if texts[first] == "dim3" and texts[first + 1] in ("(", "{"):
        return unit.arguments(first + 1)
    declared = unit.declared(texts[first], first) if last == first + 1 else None
    if (
        declared is not None
        and texts[declared[0] : declared[1]][-1:] == ["dim3"]
        and texts[declared[2]] in ("(", "{")
    ):
        return unit.arguments(declared[2])
    return None


def wave_lanes(unit: Unit, function: Function) -> set[str]:
    """Variables of a function that hold the lane in the wave: ``threadIdx.x % warpSize``, ``tid & (warpSize - 1)``."""
    texts, found = unit.texts, set()
    for i in wave_words(unit):
        if not function.body < i < function.end:
            continue
        op = i - 2 if texts[i - 1] == "(" else i - 1
        holder = op - 1
        while texts[holder] in (")", "x", "."):
            holder -= 1
        if texts[op] not in ("%", "&") or (
            texts[holder] != "threadIdx" and texts[holder] not in thread_names(unit)
        ):
            continue
        while texts[holder - 1] == "(":
            holder -= 1
        if texts[holder - 1] == "=":
            found.add(texts[holder - 2])
    return found


def strides_of_waves(unit: Unit, kernel: Function) -> Iterator[int]:
    """The wave size in ``for (c = threadIdx.x; ...; c += warpSize)``."""
    starts = {"x", *thread_names(unit)}
    for i in wave_words(unit):
        if not kernel.body < i < kernel.end or unit.texts[i - 1] != "+=":
            continue
        name = unit.texts[i - 2]
        for k in range(i - 3, max(kernel.body, i - 40), -1):
            if unit.texts[k] == "for":
                break
            if unit.texts[k : k + 2] == [name, "="]:
                end = unit.texts.index(";", k)
                if unit.texts[end - 1] in starts and (
                    unit.texts[end - 1] != "x" or unit.texts[end - 3] == "threadIdx"
                ):
                    yield i


def launched_with_32(unit: Unit) -> dict[str, Launch]:
    """Kernels whose blocks have 32 threads along x, by a launch of this file."""
    found = dict(rows_of_32(unit))
    for launch in unit.launches:
        if len(launch.args) < 2:
            continue
        first, last = launch.args[1]
        shape = _shape(unit, first, last) or [(first, last)]
        if unit.value(*shape[0]) == 32:
            found.setdefault(unit.texts[launch.name], launch)
    return found


def mask_words(unit: Unit, call: Call) -> set[str]:
    """The words of a mask, and of what its variable was set to or its macro stands for."""
    found: set[str] = set()
    for i in range(*call.args[0]):
        word = unit.texts[i]
        found.add(word)
        if unit.tokens.kinds[i] != WORD:
            continue
        declared = unit.declared(word, i)
        if declared is not None and unit.texts[declared[2]] == "=":
            found.update(unit.texts[declared[2] : unit.texts.index(";", declared[2])])
        for macro in unit.pre.macros.get(word, ()):
            if macro.amd is not False:
                found.update(unit.texts[macro.first : macro.last])
    return found


def team_votes(unit: Unit, name: str) -> tuple[str, ...] | None:
    """The helpers that serve a vote, with those that make its masks count in the same 32 lanes.

    None where there are none, and where a mask of 64 bits comes from elsewhere: its lower half would be taken for
    every team of 32.
    """
    helper = vote_helper(unit, name)
    if helper is None or helper != (name,):
        return helper
    words = {word for call in unit.calls(name) if call.args for word in mask_words(unit, call)}
    if words & {"__ballot", "__ballot64"}:
        return None
    return (*helper, "__activemask") if "__activemask" in words and name != "__activemask" else helper


def works_on_rows(unit: Unit, kernel: Function) -> bool:
    """Whether the kernel tells the rows of its block apart."""
    return any(
        kernel.body < i < kernel.end and unit.texts[i + 1 : i + 3] == [".", "y"]
        for i in unit.tokens.words.get("threadIdx", ())
    )


def only_numbers_waves(unit: Unit, function: Function, indices: Iterator[Index] | list[Index]) -> bool:
    """Whether these indices of a function are compared and address shared memory, and nothing else.

    Counted in other lanes they still find what the function itself stored. An index into the data of the caller would
    mean other elements.
    """
    return all(_harmless(unit, function, *_outer(unit, x.first, x.last)) for x in indices)


def _outer(unit: Unit, first: int, last: int) -> tuple[int, int]:
    """The expression with the brackets and casts around it."""
    texts = unit.texts
    while True:
        before, after = unit.previous(first), unit.next(last)
        if texts[before] != "(" or texts[after] != ")":
            return first, last
        name = unit.previous(before)
        if unit.tokens.kinds[name] == WORD and texts[name] not in ("return", "int", "unsigned"):
            return first, last
        first, last = before, after


def _harmless(unit: Unit, function: Function, first: int, last: int, depth: int = 0) -> bool:
    texts = unit.texts
    before, after = unit.previous(first), unit.next(last)
    if texts[before] in _COMPARE or texts[after] in _COMPARE or texts[before] == "!" or texts[after] == "?":
        return True
    if texts[before] == "(" and texts[after] == ")":
        return texts[unit.previous(before)] == "if"
    if texts[before] == "[" and texts[after] == "]":
        return _shared(unit, function, before)
    if texts[before] == "=" and texts[after] in (";", ",") and depth == 0:
        holder = unit.previous(before)
        if unit.tokens.kinds[holder] != WORD or texts[unit.previous(holder)] in (".", "->", "::"):
            return False
        uses = [i for i in unit.tokens.words[texts[holder]] if holder < i < function.end and unit.live(i)]
        return all(_harmless(unit, function, *_outer(unit, i, i), depth=1) for i in uses)
    return False


def _shared(unit: Unit, function: Function, bracket: int) -> bool:
    """Whether the subscript belongs to shared memory: declared so, or given to a device function."""
    name = unit.previous(bracket)
    while unit.texts[name] == "]" and name in unit.tokens.match:
        name = unit.previous(unit.tokens.match[name])
    for i in unit.tokens.words.get("__shared__", ()):
        if function.body < i < function.end:
            end = unit.texts.index(";", i)
            if unit.texts[name] in unit.texts[i:end]:
                return True
    declared = unit.declared(unit.texts[name], name)
    return declared is not None and not function.kernel and function.params < declared[1] < function.body


def first_32_threads(unit: Unit, function: Function, inside: set[str]) -> list[int]:
    """The 32 of each ``if (threadIdx.x < 32)`` around a use of one of these names."""
    texts, match, found = unit.texts, unit.tokens.match, []
    threads = thread_names(unit)
    for k in unit.words("if"):
        opened = unit.next(k)
        close = match.get(opened)
        if not function.body < k < function.end or texts[opened] != "(" or close is None:
            continue
        condition = texts[opened + 1 : close]
        if condition[:-2] != ["threadIdx", ".", "x"] and (len(condition) != 3 or condition[0] not in threads):
            continue
        body = unit.next(close)
        end = match.get(body, body) if texts[body] == "{" else texts.index(";", body)
        if condition[-2] == "<" and unit.value(close - 1, close) == 32 and inside & set(texts[body:end]):
            found.append(close - 1)
    return found


def narrow_in(unit: Unit, names: set[str]) -> bool:
    """Whether one of the functions counts lanes by 32."""
    return any((f := unit.function(x.op)) is not None and f.name in names for x in narrow_indices(unit))
