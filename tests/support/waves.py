"""A wave of GPU lanes on the CPU, to run small kernels at 32 and at 64 lanes.

A kernel is a Python generator function: it gets a ``Thread`` and yields at every point where lanes meet.
``yield t.shfl_xor(v, m)`` and the like give the lane its value; ``yield t.barrier()`` waits for the block.
Lanes of one wave run in lockstep up to their next yield, as on AMD GPUs. Lanes that have returned, or that wait at
another operation, are inactive for the operation at hand.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

Kernel = Callable[..., Generator["Operation", Any, None]]


class Trap(Exception):
    """HIP stops a wave whose mask differs from its active lanes."""


@dataclass(frozen=True)
class Operation:
    """One cross-lane operation of one lane. Lanes execute it together when their ``kind`` is the same."""

    kind: str
    value: Any = None
    argument: int = 0
    width: int = 0
    mask: int | None = None


@dataclass
class Thread:
    """What a lane knows about itself, and the operations it can take part in."""

    x: int
    block_dim: int
    warp_size: int
    shared: dict[str, list[Any]] = field(repr=False, default_factory=dict)

    @property
    def lane(self) -> int:
        """The hardware lane (``__lane_id()``)."""
        return self.x % self.warp_size

    def shfl(self, v: Any, lane: int, width: int = 0) -> Operation:
        return Operation("shfl", v, lane, width or self.warp_size)

    def shfl_xor(self, v: Any, mask: int, width: int = 0) -> Operation:
        return Operation("shfl_xor", v, mask, width or self.warp_size)

    def shfl_down(self, v: Any, delta: int, width: int = 0) -> Operation:
        return Operation("shfl_down", v, delta, width or self.warp_size)

    def ballot(self, vote: Any) -> Operation:
        return Operation("ballot", bool(vote))

    def barrier(self) -> Operation:
        return Operation("barrier")

    def sync(self, mask: int, operation: Operation) -> Operation:
        """The masked form of HIP: stops the wave when the mask is not the set of active lanes."""
        return Operation(operation.kind, operation.value, operation.argument, operation.width, mask)


def run(kernel: Kernel, *arguments: Any, threads: int, warp_size: int, shared: Sequence[str] = ()) -> None:
    """Run one block. ``shared`` names arrays of LDS (as many elements as threads, at least 64)."""
    memory = {name: [0] * max(64, threads) for name in shared}
    lanes = [Thread(i, threads, warp_size, memory) for i in range(threads)]
    running = {t.x: kernel(t, *arguments) for t in lanes}
    waiting: dict[int, Operation] = {}
    for x, lane in list(running.items()):
        _step(running, waiting, x, lane, None)
    while running:
        progress = False
        for start in range(0, threads, warp_size):
            wave = [
                x for x in range(start, start + warp_size) if x in waiting and waiting[x].kind != "barrier"
            ]
            if wave:
                progress = True
                together = [x for x in wave if waiting[x].kind == waiting[wave[0]].kind]
                results = _execute({x: waiting[x] for x in together}, warp_size)
                for x in together:
                    del waiting[x]
                    _step(running, waiting, x, running[x], results[x])
        if not progress:
            # every lane that still runs stands at the barrier
            for x in sorted(waiting):
                del waiting[x]
                _step(running, waiting, x, running[x], None)


def _step(running: dict[int, Any], waiting: dict[int, Operation], x: int, lane: Any, result: Any) -> None:
    try:
        waiting[x] = lane.send(result)
    except StopIteration:
        del running[x]


def _execute(operations: dict[int, Operation], warp_size: int) -> dict[int, Any]:
    """One operation of the active lanes of one wave. Reading an inactive lane gives None."""
    active = sum(1 << (x % warp_size) for x in operations)
    for operation in operations.values():
        if operation.mask is not None and operation.mask & ((1 << warp_size) - 1) != active:
            raise Trap(f"mask {operation.mask:#x}, active lanes {active:#x}")
    results: dict[int, Any] = {}
    for x, operation in operations.items():
        base = x - x % warp_size
        if operation.kind == "ballot":
            results[x] = sum(1 << (y % warp_size) for y, o in operations.items() if o.value)
            continue
        lane, width = x % warp_size, operation.width
        group = lane - lane % width
        if operation.kind == "shfl":
            source = group + operation.argument % width
        elif operation.kind == "shfl_xor":
            source = lane ^ operation.argument
            source = lane if source >= group + width else source
        else:
            source = lane + operation.argument
            source = lane if source >= group + width else source
        other = operations.get(base + source)
        results[x] = other.value if other is not None else None
    return results
