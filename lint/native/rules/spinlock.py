"""AMD3218: lanes that spin on a lock held by a lane of the same wave."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..unit import Unit

CODE = "AMD3218"
_PASTE = """\
for (bool done = false; !done;) {
  if (atomicCAS(lock, 0, 1) == 0) {
    // critical section
    __threadfence();
    atomicExch(lock, 0);
    done = true;
  }
}"""


@rule(CODE, triggers={"atomicCAS", "atomicExch"})
def spinlock(unit: Unit) -> Iterator[Finding]:
    texts = unit.texts
    for call in unit.calls("atomicCAS", "atomicExch"):
        if not unit.in_device(call.name):
            continue
        loop = _spins(unit, call.name)
        if loop is None:
            continue
        first, last = loop
        yield unit.finding(
            CODE,
            first,
            last,
            detail=f"a lane that spins on {texts[call.name]} keeps the lane that holds the lock from running",
            fix=Fix("display", "do the critical section inside the successful branch", paste=_PASTE),
        )


def _spins(unit: Unit, i: int) -> tuple[int, int] | None:
    """``while (atomicCAS(..) ...) ;`` and ``do { } while (atomicCAS(..));`` without other work: (first, last) tokens."""
    texts, match = unit.texts, unit.tokens.match
    p = unit.previous(i)
    while p > 0 and texts[p] in ("(", "!"):
        if texts[p] == "(" and texts[unit.previous(p)] == "while":
            opened = p
            close = match.get(opened)
            if close is None:
                return None
            body = unit.next(close)
            if texts[body] == ";":
                before = unit.previous(unit.previous(opened))
                if texts[before] == "}":  # do { ... } while (...): the body decides
                    brace = match.get(before, before)
                    return (unit.previous(opened), close) if before - brace <= 1 else None
                return unit.previous(opened), close
            if texts[body] == "{" and body in match:
                inner = texts[body + 1 : match[body]]
                idle = {"__nanosleep", "__threadfence", "__builtin_amdgcn_s_sleep", "(", ")", ";"}
                if all(t in idle or t.isdigit() for t in inner):
                    return unit.previous(opened), close
            return None
        p = unit.previous(p)
    return None
