"""Places of a file, asked for one offset after the other."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable


class Spans:
    """The union of half-open spans; ``offset in spans`` takes no longer in a file of a hundred thousand lines."""

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted(spans):
            if self._ends and start <= self._ends[-1]:
                self._ends[-1] = max(self._ends[-1], end)
            else:
                self._starts.append(start)
                self._ends.append(end)

    def __contains__(self, offset: int) -> bool:
        at = bisect_right(self._starts, offset) - 1
        return at >= 0 and offset < self._ends[at]
