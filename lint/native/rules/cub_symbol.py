"""AMD6203: cub names that torch hipify does not map."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..unit import Unit

CODE = "AMD6203"
MAPPED = frozenset(
    [
        "ArgMax",
        "ArgMin",
        "BLOCK_SCAN_WARP_SCANS",
        "BLOCK_REDUCE_WARP_REDUCTIONS",
        "BLOCK_STORE_WARP_TRANSPOSE",
        "BLOCK_LOAD_DIRECT",
        "BLOCK_STORE_DIRECT",
        "BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY",
        "BlockReduce",
        "BlockScan",
        "BlockLoad",
        "BlockStore",
        "BlockRakingLayout",
        "BlockRadixSort",
        "Uninitialized",
        "RowMajorTid",
        "CachingDeviceAllocator",
        "CountingInputIterator",
        "DeviceHistogram",
        "DeviceRadixSort",
        "DeviceReduce",
        "DeviceRunLengthEncode",
        "DeviceScan",
        "DeviceSegmentedRadixSort",
        "DeviceSegmentedReduce",
        "DeviceSelect",
        "FpLimits",
        "KeyValuePair",
        "Max",
        "Min",
        "Sum",
        "Log2",
        "LaneId",
        "WarpMask",
        "ShuffleIndex",
        "ShuffleDown",
        "ArgIndexInputIterator",
        "TransformInputIterator",
        "WarpReduce",
        "CTA_SYNC",
    ]
)
# Names that hipCUB has under the same spelling.
_IN_HIPCUB = re.compile(
    r"DoubleBuffer|ThreadLoad|ThreadStore|LOAD_\w+|STORE_\w+|BLOCK_\w+|Block\w+|Device\w+|Warp\w+|\w+Iterator|Equality|Inequality|Cast\w*|Swizzle\w*|Traits|NullType|Debug"
)


@rule(CODE, triggers={"cub"})
def cub_symbol(unit: Unit) -> Iterator[Finding]:
    if unit.build in ("nvcc", "hip") or _aliased(unit):
        return
    texts = unit.texts
    includes_cub = any(name.startswith("cub/") for name, _, d in unit.pre.includes)
    for i in unit.words("cub"):
        if texts[i + 1] != "::" or texts[i - 1] == "::" or texts[i + 2] in MAPPED or not includes_cub:
            continue
        name = texts[i + 2]
        if not _IN_HIPCUB.fullmatch(name):
            continue
        fix = Fix("safe", "hipcub under the name cub on AMD", helpers=("hipcub",))
        yield unit.finding(
            CODE,
            i,
            i + 2,
            detail=f"hipify translates a fixed list of cub names, and cub::{name} is not on it",
            fix=fix,
        )


def _aliased(unit: Unit) -> bool:
    """Whether AMD builds get ``namespace cub = hipcub`` here or in an included header."""
    for owner in (unit, *unit.headers):
        for i in owner.words("cub"):
            if owner.texts[i - 1] == "namespace" and owner.texts[i + 1] in ("=", "{"):
                return True
    return False
