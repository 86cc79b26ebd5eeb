"""AMD6211: libcu++ (cuda::std, cuda::atomic_ref, <cuda/...>)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..names import at_include, includes
from ..rewrite import skip_include
from ..unit import Unit

CODE = "AMD6211"
_HEADER = re.compile(r"cuda/[a-z_/]+|nv/target")
# headers whose contents are constexpr in the C++ library, so that HIP device code may use std:: for them
_CONSTEXPR = frozenset(
    {"limits", "type_traits", "cstdint", "cstddef", "array", "utility", "tuple", "climits"}
)
_TYPES = frozenset(
    [
        "atomic",
        "atomic_ref",
        "barrier",
        "pipeline",
        "semaphore",
        "latch",
        "thread_scope_device",
        "thread_scope_block",
        "thread_scope_system",
        "memcpy_async",
        "annotated_ptr",
        "ptx",
        "proclaim_return_type",
    ]
)


@rule(CODE, triggers={"cuda", "target"})
def libcudacxx(unit: Unit) -> Iterator[Finding]:
    if unit.has("libhipcxx") or _aliased(unit):
        return
    fix_all = None
    found = list(includes(unit, _HEADER))
    simple = bool(found) and all(
        n.startswith("cuda/std/") and n.removeprefix("cuda/std/") in _CONSTEXPR for n, _ in found
    )
    for name, directive in found:
        if simple:
            std = name.removeprefix("cuda/std/")
            fix = fix_all = Fix(
                "safe",
                "the C++ library on AMD",
                skip_include(unit, directive, [f"#include <{std}>"]),
                helpers=("libcudacxx_std",),
            )
        else:
            fix = Fix(
                "display",
                "the C++ library or HIP's atomics on AMD",
                paste="atomicAdd(p, v);  // or __hip_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)",
            )
        yield at_include(unit, CODE, directive, f"libcu++ is not part of ROCm: there is no <{name}>", fix)
    texts = unit.texts
    rows: set[int] = set()
    for i in unit.words("cuda"):
        if (
            texts[i + 1] != "::"
            or texts[i - 1] in ("::", "namespace")
            or texts[i + 2] not in {"std", *_TYPES}
        ):
            continue
        row = unit.source.position(unit.tokens.starts[i])[0]
        if row not in rows:
            rows.add(row)
            detail = f"cuda::{texts[i + 2]} is libcu++, which is not part of ROCm"
            fix = fix_all or Fix(
                "display",
                "the C++ library or HIP's atomics on AMD",
                paste="std::numeric_limits<float>::infinity();  // cuda::std in device code",
            )
            yield unit.finding(CODE, i, i + 2, detail=detail, fix=fix)


def _aliased(unit: Unit) -> bool:
    """Whether AMD builds get a namespace cuda with a std inside."""
    for owner in (unit, *unit.headers):
        for i in owner.words("cuda"):
            if owner.texts[i - 1] == "namespace" and owner.texts[i + 1 : i + 4] in (
                ["{", "namespace", "std"],
                ["::", "std", "{"],
            ):
                return True
    return False
