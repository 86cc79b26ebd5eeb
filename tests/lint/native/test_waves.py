"""What the lane rules say, run: wrong on 64 lanes before the rewrite, right on 32 and 64 after it.

The kernels mirror the examples of the entries. "CUDA" is a wave of 32 lanes.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest
from support.waves import Operation, Thread, Trap, run

Lane = Generator[Operation, Any, None]
ROWS = [float(i % 7) for i in range(128)]


def popc(v: int, bits: int = 32) -> int:
    return bin(v & ((1 << bits) - 1)).count("1")


def warp_votes(t: Thread, vote: Any) -> Generator[Operation, Any, int]:
    """The helper of amd_compat.h: the votes of the thread's own 32 lanes."""
    wave = yield t.ballot(vote)
    return (wave >> (t.lane & 32)) & 0xFFFFFFFF


def result(kernel: Any, threads: int, warp_size: int, size: int = 128, **options: Any) -> list[Any]:
    out: list[Any] = [None] * size
    run(kernel, out, threads=threads, warp_size=warp_size, **options)
    return out


def test_mixed_lane_counts() -> None:
    """AMD3211: a reduction over warpSize lanes with lane and warp numbers by 32."""

    def block_sum(t: Thread, out: list[Any], lanes: int) -> Lane:
        v = ROWS[t.x]
        m = t.warp_size // 2
        while m:
            v += yield t.shfl_xor(v, m)
            m //= 2
        if t.x % lanes == 0:
            t.shared["part"][t.x // lanes] = v
        yield t.barrier()
        if t.x == 0:
            out[0] = sum(t.shared["part"][: t.block_dim // lanes])

    def before(t: Thread, out: list[Any]) -> Lane:
        return block_sum(t, out, 32)

    def after(t: Thread, out: list[Any]) -> Lane:
        return block_sum(t, out, t.warp_size)

    total = sum(ROWS)
    assert result(before, 128, 32, shared=["part"])[0] == total
    assert result(before, 128, 64, shared=["part"])[0] == 2 * total  # every wave stored its total twice
    assert result(after, 128, 32, shared=["part"])[0] == total
    assert result(after, 128, 64, shared=["part"])[0] == total


def test_broadcast_inside_a_team_of_32() -> None:
    """AMD3211: a broadcast without a width reaches the other team of the wave."""

    def leader(t: Thread, out: list[Any], width: int) -> Lane:
        row = t.x // 32 if t.x % 32 == 0 else -1
        out[t.x] = yield t.shfl(row, 0, width)

    def before(t: Thread, out: list[Any]) -> Lane:
        return leader(t, out, 0)

    def after(t: Thread, out: list[Any]) -> Lane:
        return leader(t, out, 32)

    rows = [x // 32 for x in range(128)]
    assert result(before, 128, 32) == rows
    assert result(before, 128, 64) != rows
    assert result(after, 128, 32) == rows
    assert result(after, 128, 64) == rows


def test_vote_inside_a_team_of_32() -> None:
    """AMD3202: a vote of the whole wave answers for the neighbouring team too."""

    def before(t: Thread, out: list[Any]) -> Lane:
        votes = yield t.ballot(t.x == 40)  # only team 1 has a hit
        out[t.x] = votes != 0

    def after(t: Thread, out: list[Any]) -> Lane:
        votes = yield from warp_votes(t, t.x == 40)
        out[t.x] = votes != 0

    answers = [x // 32 == 1 for x in range(128)]
    assert result(before, 128, 32) == answers
    assert result(before, 128, 64) != answers
    assert result(after, 128, 32) == answers
    assert result(after, 128, 64) == answers


def test_ballot_in_32_bits() -> None:
    """AMD3201, AMD3207: an unsigned variable and __popc lose lanes 32 to 63."""
    keep = [x % 3 == 0 for x in range(64)]

    def compact(t: Thread, out: list[Any], votes: int, base: int) -> None:
        if keep[t.x]:
            out[base + popc(votes & ((1 << (t.x % 32)) - 1))] = t.x

    def before(t: Thread, out: list[Any]) -> Lane:
        votes = (yield t.ballot(keep[t.x])) & 0xFFFFFFFF
        compact(t, out, votes, 32 * (t.x // 32))

    def after(t: Thread, out: list[Any]) -> Lane:
        votes = yield from warp_votes(t, keep[t.x])
        compact(t, out, votes, 32 * (t.x // 32))

    right = result(before, 64, 32)
    assert [x for x in right if x is not None] == [x for x in range(64) if keep[x]]
    assert result(before, 64, 64) != right
    assert result(after, 64, 32) == right
    assert result(after, 64, 64) == right


def test_count_over_a_whole_wave() -> None:
    """AMD3207: code that counts in waves needs all 64 bits."""

    def count(t: Thread, out: list[Any], bits: int) -> Lane:
        votes = yield t.ballot(True)
        if t.lane == 0:
            out[t.x // t.warp_size] = popc(votes, bits)

    def before(t: Thread, out: list[Any]) -> Lane:
        return count(t, out, 32)

    def after(t: Thread, out: list[Any]) -> Lane:
        return count(t, out, 64)

    assert sum(v or 0 for v in result(before, 64, 64)) == 32
    assert sum(v or 0 for v in result(after, 64, 64)) == 64
    assert sum(v or 0 for v in result(after, 64, 32)) == 64


def test_match_any_helper() -> None:
    """AMD3203: the loop of the helper finds equal keys among the thread's own 32 active lanes."""
    keys = [x % 5 if x != 7 else 9 for x in range(64)]

    def matches(t: Thread, out: list[Any]) -> Lane:
        if t.x % 32 == 31:
            return  # inactive lanes are nobody's match
        same = 0
        left = yield from warp_votes(t, True)
        while left:
            first = yield t.shfl(keys[t.x], (left & -left).bit_length() - 1, 32)
            hits = (yield from warp_votes(t, first == keys[t.x])) & left
            if first == keys[t.x]:
                same = hits
            left &= ~hits
        out[t.x] = same

    expected = [
        None
        if x % 32 == 31
        else sum(1 << (y % 32) for y in range(x - x % 32, x - x % 32 + 31) if keys[y] == keys[x])
        for x in range(64)
    ]
    assert result(matches, 64, 32, size=64) == expected
    assert result(matches, 64, 64, size=64) == expected


def test_full_mask_in_a_half_active_wave() -> None:
    """AMD3209: an all-ones mask inside ``if (threadIdx.x < 32)`` stops a 64-lane wave; without a mask it runs."""
    everybody = (1 << 64) - 1

    def tree(t: Thread, out: list[Any], masked: bool) -> Lane:
        if t.x < 32:
            v = ROWS[t.x]
            for d in (16, 8, 4, 2, 1):
                operation = t.shfl_down(v, d, 32)
                v += yield (t.sync(everybody, operation) if masked else operation)
            if t.x == 0:
                out[0] = v

    def before(t: Thread, out: list[Any]) -> Lane:
        return tree(t, out, True)

    def after(t: Thread, out: list[Any]) -> Lane:
        return tree(t, out, False)

    total = sum(ROWS[:32])
    assert result(before, 64, 32)[0] == total
    with pytest.raises(Trap):
        result(before, 64, 64)
    assert result(after, 64, 32)[0] == total
    assert result(after, 64, 64)[0] == total


def test_half_set_mask() -> None:
    """AMD3210: 0xffffffff in 64 bits does not name the upper lanes, which are active."""

    def swap(t: Thread, out: list[Any], mask: int | None) -> Lane:
        operation = t.shfl_xor(t.x, 1)
        out[t.x] = yield (operation if mask is None else t.sync(mask, operation))

    def before(t: Thread, out: list[Any]) -> Lane:
        return swap(t, out, 0xFFFFFFFF)

    def after(t: Thread, out: list[Any]) -> Lane:
        return swap(t, out, None)

    swapped = [x ^ 1 for x in range(64)]
    assert result(before, 64, 32, size=64) == swapped
    with pytest.raises(Trap):
        result(before, 64, 64, size=64)
    assert result(after, 64, 64, size=64) == swapped


def test_masked_call_of_an_unmasked_shuffle() -> None:
    """AMD3208: with the mask left in front, the mask is shuffled and the value is the lane."""

    def before(t: Thread, out: list[Any]) -> Lane:
        out[t.x] = yield t.shfl_down(0xFFFFFFFF, int(ROWS[t.x]), 16)

    def after(t: Thread, out: list[Any]) -> Lane:
        out[t.x] = yield t.shfl_down(ROWS[t.x], 16, 32)

    right = [ROWS[x + 16] if x % 32 < 16 else ROWS[x] for x in range(64)]
    assert result(before, 64, 32, size=64) != right
    assert result(after, 64, 32, size=64) == right
    assert result(after, 64, 64, size=64) == right


def test_xor_and_down_trees_of_32_are_right_on_both() -> None:
    """What must not be flagged: groups of 32 that stay among themselves."""

    def xor_tree(t: Thread, out: list[Any]) -> Lane:
        v = ROWS[t.x]
        for m in (16, 8, 4, 2, 1):
            v += yield t.shfl_xor(v, m)
        out[t.x] = v

    assert result(xor_tree, 128, 32) == result(xor_tree, 128, 64)


def test_cub_width() -> None:
    """AMD3214: a collective as wide as the wave adds two rows of 32."""

    def row_sum(t: Thread, out: list[Any], width: int) -> Lane:
        v = ROWS[t.x]
        m = (width or t.warp_size) // 2
        while m:
            v += yield t.shfl_xor(v, m)
            m //= 2
        if t.x % 32 == 0:
            out[t.x // 32] = v

    def before(t: Thread, out: list[Any]) -> Lane:
        return row_sum(t, out, 0)

    def after(t: Thread, out: list[Any]) -> Lane:
        return row_sum(t, out, 32)

    rows = [sum(ROWS[32 * r : 32 * r + 32]) for r in range(4)]
    assert result(before, 128, 32, size=4) == rows
    assert result(before, 128, 64, size=4) != rows
    assert result(after, 128, 64, size=4) == rows
