"""AMD3211: lanes are counted by 32 where the code around works on whole waves."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Edit, Finding, Fix
from ...rules import rule
from ..lanes import WAVE64, Index, constant_tokens, narrow_counts, narrow_indices, wave_words
from ..lexer import NUMBER
from ..teams import (
    callers,
    first_32_threads,
    launched_with_32,
    narrow_in,
    only_numbers_waves,
    rows_of_32,
    strides_of_waves,
    trees_of_32,
    wave_lanes,
    wave_numbers,
    works_on_rows,
)
from ..unit import Call, Unit

CODE = "AMD3211"
_SHUFFLES = (
    "__shfl",
    "__shfl_up",
    "__shfl_down",
    "__shfl_xor",
    "__shfl_sync",
    "__shfl_up_sync",
    "__shfl_down_sync",
    "__shfl_xor_sync",
)
_VOTES = ("__any", "__all", "__ballot")


@rule(CODE, triggers={"warpSize", "C10_WARP_SIZE", "WARP_SIZE", "__any", "__all", "__ballot", "__shfl"})
def warp_size_32(unit: Unit) -> Iterator[Finding]:
    if narrow_indices(unit):
        yield from mixed_with_waves(unit)
        yield from votes_and_broadcasts(unit)
    if wave_words(unit):
        yield from half_trees(unit)
        yield from trees_over_rows(unit)
        yield from last_lanes(unit)
        yield from strides_over_rows(unit)


def mixed_with_waves(unit: Unit) -> Iterator[Finding]:
    """Indices by 32 in a function that, itself or through a function it calls, shuffles over a whole wave."""
    wave = _wave_functions(unit)
    if not wave:
        return
    indices = [*narrow_indices(unit), *narrow_counts(unit)]
    for user in unit.functions.found:
        own = [x for x in indices if unit.function(x.op) is user]
        if user.name not in wave or not own or not only_numbers_waves(unit, user, own):
            continue
        for bound in first_32_threads(unit, user, set(wave) | set(_SHUFFLES)):
            yield unit.finding(
                CODE,
                bound,
                detail=f"32 threads are half of a 64-lane wave, and {wave[user.name]} reads all of its lanes",
                fix=Fix("safe", "let the whole wave take part", (unit.edit(bound, bound, "warpSize"),)),
                targets=WAVE64,
            )
    for index in indices:
        function = unit.function(index.op)
        if function is None or not function.device or function.name not in wave:
            continue
        own = [x for x in indices if unit.function(x.op) is function]
        text = unit.slice(index.first, index.last + 1)
        yield unit.finding(
            CODE,
            index.first,
            index.last,
            detail=f"{text} counts in 32 lanes, but {wave[function.name]} works on warpSize lanes",
            fix=by_warp_size(unit, index) if only_numbers_waves(unit, function, own) else _DECIDE,
            targets=WAVE64,
        )


def half_trees(unit: Unit) -> Iterator[Finding]:
    """Trees of shuffles over 32 lanes in code that keeps one result for each wave of warpSize lanes."""
    numbered = wave_numbers(unit)
    for tree in trees_of_32(unit) if numbered else ():
        users = callers(unit, tree.function.name)
        waves = sorted(users & numbered.keys())
        if not waves or _joins_halves(unit, users):
            continue
        message = "go over all lanes of the wave"
        fix = (
            Fix("safe", message, (unit.edit(tree.first, tree.last, tree.text),))
            if tree.text and not narrow_in(unit, users)
            else Fix("display", message, paste=_WHOLE)
        )
        yield unit.finding(
            CODE,
            tree.first,
            tree.last,
            detail=f"the shuffles stay inside 32 lanes, but {waves[0]} keeps one result for each wave of warpSize lanes",
            fix=fix,
            targets=WAVE64,
        )


def last_lanes(unit: Unit) -> Iterator[Finding]:
    """Lane 31 as the last one, where lanes are counted to warpSize."""
    texts = unit.texts
    for name in _wave_functions(unit):
        for function in unit.functions.by_name.get(name, ()):
            lanes = wave_lanes(unit, function)
            if not lanes:
                continue
            ends = [
                i + 1
                for word in lanes
                for at in unit.words(word)
                if function.body < at < function.end and texts[i := unit.next(at)] == "=="
            ]
            ends += [
                c.args[-1][0]
                for c in unit.calls("__shfl", "__shfl_sync")
                if function.body < c.name < function.end
                and len(c.args) == (2 if texts[c.name] == "__shfl" else 3)
            ]
            for i in ends:
                if texts[i] == "31" and texts[unit.next(i)] in (")", "&&", "||", "?"):
                    yield unit.finding(
                        CODE,
                        i,
                        detail=f"the last lane of a 64-lane wave is 63, and {name} counts lanes to warpSize",
                        fix=Fix("safe", "name the last lane of the wave", (unit.edit(i, i, "warpSize - 1"),)),
                        targets=WAVE64,
                    )


def strides_over_rows(unit: Unit) -> Iterator[Finding]:
    """Loops in steps of warpSize, by rows of 32 threads."""
    for name, launch in launched_with_32(unit).items():
        for kernel in unit.functions.by_name.get(name, ()):
            for i in strides_of_waves(unit, kernel):
                yield unit.finding(
                    CODE,
                    i,
                    detail=f"{name} runs with {unit.slice(*launch.args[1])} threads: 32 of them in steps of 64 leave out half",
                    fix=Fix(
                        "display",
                        "step by the threads that there are",
                        paste="for (int c = threadIdx.x; c < cols; c += blockDim.x)",
                    ),
                    targets=WAVE64,
                )


def _joins_halves(unit: Unit, names: set[str]) -> bool:
    """Whether one of the functions has a step for the other half of a wave: a shuffle by 32, a test of the wave size."""
    for call in unit.calls(*_SHUFFLES):
        function = unit.function(call.name)
        if (
            function is not None
            and function.name in names
            and any(unit.value(*a) == 32 for a in call.args[1:])
        ):
            return True
    compare = {"==", ">", "<", ">=", "<=", "!="}
    return any(
        (f := unit.function(i)) is not None
        and f.name in names
        and unit.texts[i + 1] in compare
        and unit.value(i + 2, i + 3) in (32, 64)
        for i in wave_words(unit)
    )


def trees_over_rows(unit: Unit) -> Iterator[Finding]:
    """Trees of shuffles over warpSize lanes in kernels whose blocks have rows of 32 threads."""
    wave = _wave_functions(unit)
    for name, launch in rows_of_32(unit).items() if wave else ():
        kernel = next((f for f in unit.functions.found if f.name == name), None)
        if kernel is None or name not in wave or not works_on_rows(unit, kernel):
            continue
        shape = unit.slice(*launch.args[1])
        for i in wave_words(unit):
            function = unit.function(i)
            if function is not None and function.name == wave[name] and _drives_a_loop(unit, i):
                yield unit.finding(
                    CODE,
                    i,
                    detail=f"{name} runs in blocks of {shape}: on 64 lanes this loop joins two rows of 32 threads",
                    fix=_ROWS,
                    targets=WAVE64,
                )


_DECIDE = Fix(
    "display",
    "count in warpSize lanes, or keep groups of 32 and say so in every shuffle",
    paste="for (int m = 16; m > 0; m /= 2) v += __shfl_xor(v, m, 32);  // HIP: a group of 32 lanes, on every GPU",
)
_WHOLE = "for (int m = warpSize / 2; m > 0; m /= 2) v += __shfl_xor(v, m);  // HIP; CUDA: __shfl_xor_sync(0xffffffff, v, m)"
_ROWS = Fix(
    "display",
    "stay inside the 32 lanes of a row",
    paste="for (int m = 16; m > 0; m /= 2) v += __shfl_xor(v, m, 32);  // HIP; CUDA: __shfl_xor_sync(0xffffffff, v, m)",
)


def by_warp_size(unit: Unit, index: Index) -> Fix:
    """warpSize is 32 on NVIDIA, so nothing changes there."""
    first, last, text = index.replacement(unit)
    return Fix("safe", "count in warpSize lanes", (unit.edit(first, last, text),))


def _wave_functions(unit: Unit) -> dict[str, str]:
    """Device functions that reduce over whole waves, and those that call them: name to the reducing one."""
    shuffling = [n for n in (*_SHUFFLES, *_macros_of(unit, _SHUFFLES)) if unit.has(n)]
    shuffles = {f.name for i in unit.words(*shuffling) if (f := unit.function(i)) is not None}
    found: dict[str, str] = {}
    for i in wave_words(unit):
        function = unit.function(i)
        if (
            function is not None
            and function.name in shuffles
            and unit.in_device(i)
            and _drives_a_loop(unit, i)
        ):
            found[function.name] = function.name
    for _ in range(3):
        for name in list(found):
            for i in unit.words(name):
                caller = unit.function(i)
                if caller is not None and caller.name != name and unit.call(i) is not None:
                    found.setdefault(caller.name, found[name])
    return found


def _drives_a_loop(unit: Unit, i: int) -> bool:
    """Whether the wave size sets a loop over lanes ("for (m = warpSize / 2; ...")."""
    for k in range(i - 1, max(0, i - 14), -1):
        if unit.texts[k] == "for":
            return True
        if unit.texts[k] in ("{", "}"):
            return False
    return False


def _macros_of(unit: Unit, names: tuple[str, ...]) -> list[str]:
    """Macros whose AMD body uses one of the names."""
    return [
        name
        for name, macros in unit.pre.macros.items()
        if any(
            m.amd is not False
            and m.params is not None
            and any(t in names for t in unit.texts[m.first : m.last])
            for m in macros
        )
    ]


def votes_and_broadcasts(unit: Unit) -> Iterator[Finding]:
    """Votes and broadcasts over the whole wave in code whose teams have 32 lanes."""
    lanes = [x for x in narrow_indices(unit) if unit.texts[x.op] in ("&", "%")]
    teams = {f.name: x for x in lanes if (f := unit.function(x.op)) is not None}
    reported: set[int] = set()
    for call, what in _wide_calls(unit):
        function = unit.function(call.name)
        if function is None or function.name not in teams or _one_warp_blocks(unit, function.name):
            continue
        index = teams[function.name]
        for token in [*(constant_tokens(unit, [index]) or [index.first])]:
            if token not in reported:
                reported.add(token)
                yield unit.finding(
                    CODE,
                    token,
                    detail=f"teams of 32 lanes, but {what} over all 64 lanes of a wave",
                    targets=WAVE64,
                )
        yield unit.finding(
            CODE,
            call.name,
            call.close,
            detail=f"{what} over all 64 lanes of a wave, while the lane is {unit.slice(index.first, index.last + 1)}",
            fix=_narrow(unit, call),
            targets=WAVE64,
        )


def _narrow(unit: Unit, call: Call) -> Fix:
    """A broadcast takes a width; a vote has to be cut to the team."""
    if unit.texts[call.name] == "__shfl" and unit.amd_only(call.name):
        end = unit.tokens.end(call.args[1][1] - 1)
        return Fix("safe", "broadcast inside the team of 32", (Edit(end, end, ", 32"),))
    return Fix(
        "display",
        "vote inside the team of 32 lanes",
        paste="unsigned votes = (unsigned)(__ballot(vote) >> (__lane_id() & 32));  // the votes of the own 32 lanes\nbool any = votes != 0;",
    )


def _wide_calls(unit: Unit) -> Iterator[tuple[Call, str]]:
    """Votes and broadcasts without a width in the AMD side of code that NVIDIA shares.

    Code for AMD alone was written for its waves.
    """
    for name in _VOTES[:2]:
        if unit.provided(name):
            continue
        for call in unit.calls(name):
            if len(call.args) == 1 and unit.function(call.name) is not None and unit.amd_only(call.name):
                yield call, "the vote goes"
    for call in unit.calls("__shfl"):
        if (
            len(call.args) == 2
            and unit.value(*call.args[1]) is not None
            and unit.function(call.name) is not None
            and unit.amd_only(call.name)
        ):
            yield call, "the broadcast goes"
    for name, macros in unit.pre.macros.items():
        for macro in macros:
            if macro.amd is False or macro.nvidia is not False or macro.params is None:
                continue
            body = unit.texts[macro.first : macro.last]
            if any(t in ("__any", "__all") for t in body):
                for call in unit.calls(name):
                    yield call, "the vote goes"
            elif "__shfl" in body:
                inner = unit.call(macro.first + body.index("__shfl"))
                if inner is None or len(inner.args) != 2:
                    continue
                for call in unit.calls(name):
                    if (
                        call.args
                        and unit.value(*call.args[-1]) is not None
                        and unit.tokens.kinds[call.args[-1][0]] == NUMBER
                    ):
                        yield call, "the broadcast goes"
            break


def _one_warp_blocks(unit: Unit, kernel: str) -> bool:
    """Whether every launch of the kernel in this file has blocks of at most 32 threads."""
    sizes = [
        unit.value(*launch.args[1])
        for launch in unit.launches
        if unit.texts[launch.name] == kernel and len(launch.args) > 1
    ]
    return bool(sizes) and all(s is not None and s <= 32 for s in sizes)
