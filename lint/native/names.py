"""Small questions that most rules ask: which calls, words and includes of a name nobody gives AMD builds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ...kb.facts.cuda import cuda_name
from ..finding import Finding, Fix
from .lexer import WORD, Directive
from .unit import Call, Unit


def missing_calls(unit: Unit, names: Iterable[str]) -> Iterator[tuple[str, Call]]:
    """Calls of names that the repository does not provide itself, in order of the file."""
    if unit.amd_native:
        return
    wanted = [n for n in names if unit.has(n) and not unit.provided(n)]
    for call in unit.calls(*wanted):
        yield unit.texts[call.name], call


def missing_words(unit: Unit, pattern: re.Pattern[str]) -> Iterator[int]:
    """One token a line whose word fits the pattern and is not provided by the repository."""
    if unit.amd_native:
        return
    wanted = [n for n in unit.tokens.words if pattern.fullmatch(n) and not unit.provided(n)]
    rows: set[int] = set()
    for i in unit.words(*wanted):
        row = unit.source.position(unit.tokens.starts[i])[0]
        if row not in rows and not unit.is_member(i):
            rows.add(row)
            yield i


def includes(unit: Unit, pattern: re.Pattern[str]) -> Iterator[tuple[str, Directive]]:
    """Includes that fit the pattern and reach an AMD compiler, other than headers of the repository itself."""
    for name, angle, directive in unit.pre.includes:
        if (
            pattern.fullmatch(name)
            and unit.pre.live(directive.start) is not False
            and (angle or not unit.own_header(name))
        ):
            yield name, directive


def at_include(unit: Unit, code: str, directive: Directive, detail: str, fix: Fix | None) -> Finding:
    """A finding that spans an include line."""
    end = directive.end
    while end > directive.start and unit.source.data[end - 1 : end] in (b"\n", b"\r"):
        end -= 1
    start = unit.tokens.starts[directive.token]
    return Finding(code, start, end, detail, fix)


# Names that HIPIFY's tables leave out or give another shape than a macro needs.
_MORE = {
    # calling conventions, which are empty on Linux
    "CUDART_CB": "",
    "CUDA_CB": "",
    "CUDAAPI": "",
    "CUDARTAPI": "",
    # "struct cudaGraphicsResource": HIP's name without the underscore is a typedef
    "cudaGraphicsResource": "_hipGraphicsResource",
    # the same three numbers, in an enum that HIP does not have
    "cudaGraphicsMapFlagsNone": "hipGraphicsRegisterFlagsNone",
    "cudaGraphicsMapFlagsReadOnly": "hipGraphicsRegisterFlagsReadOnly",
    "cudaGraphicsMapFlagsWriteDiscard": "hipGraphicsRegisterFlagsWriteDiscard",
    # in HIP 7.1's headers
    "cudaMemLocationTypeHost": "hipMemLocationTypeHost",
    "cudaMemLocationTypeHostNuma": "hipMemLocationTypeHostNuma",
    "cudaMemLocationTypeHostNumaCurrent": "hipMemLocationTypeHostNumaCurrent",
    "cudaDevAttrMemoryPoolSupportedHandleTypes": "hipDeviceAttributeMemoryPoolSupportedHandleTypes",
}


def mapping(name: str) -> str | None:
    """``old=new`` for a CUDA name that HIPIFY knows; a helper that defines one as the other."""
    if name in _MORE:
        return f"{name}={_MORE[name]}"
    row = cuda_name(name)
    return f"{name}={row.hip}" if row is not None and row.hip and re.fullmatch(r"\w+", row.hip) else None


def mapped(unit: Unit, pattern: re.Pattern[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """All words of the file that fit the pattern: (helpers for those with a HIP name, those without one).

    Words behind a test of CUDA's version count: another rule makes AMD compile them.
    """
    wanted = [n for n in unit.tokens.words if pattern.fullmatch(n) and not unit.provided(n)]
    words = sorted(
        {unit.texts[i] for i in unit.words(*wanted, guarded=True) if unit.live(i) or _behind_version(unit, i)}
    )
    pairs = [(n, mapping(n)) for n in words]
    return tuple(m for _, m in pairs if m), tuple(n for n, m in pairs if not m)


def _behind_version(unit: Unit, i: int) -> bool:
    """Whether nothing but a test of CUDA's version keeps the token from AMD."""
    branch = unit.branch(i)
    while branch is not None and branch.amd is False:
        condition = unit.texts[branch.opener.first : branch.opener.last]
        if branch.own_amd is False and not {"CUDART_VERSION", "CUDA_VERSION"} & set(condition):
            return False
        branch = branch.parent
    return True


def is_word(unit: Unit, i: int) -> bool:
    return 0 <= i < len(unit.texts) and unit.tokens.kinds[i] == WORD
