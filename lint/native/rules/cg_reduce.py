"""AMD3232: <cooperative_groups/reduce.h> and cg::reduce."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..names import at_include, includes
from ..rewrite import skip_include
from ..unit import Unit

CODE = "AMD3232"
_HEADER = re.compile(r"cooperative_groups/(?:reduce|scan|details/.*)\.h")


@rule(CODE, triggers={"cooperative_groups", "cg"})
def cg_reduce(unit: Unit) -> Iterator[Finding]:
    headers = list(includes(unit, _HEADER))
    if not headers and not unit.has("reduce"):
        return
    given = any(
        unit.texts[i - 1] == "struct" and unit.live(i) for i in unit.tokens.words.get("plus", ())
    ) or unit.provided("reduce")
    calls = (
        []
        if given
        else [
            c
            for c in unit.calls("reduce")
            if unit.texts[c.name - 2 : c.name] in (["cg", "::"], ["cooperative_groups", "::"])
        ]
    )
    scans = unit.has("exclusive_scan", "inclusive_scan")
    plain = all(_tiles(unit, unit.slice(*c.args[0])) for c in calls if c.args)
    for name, directive in headers:
        safe = plain and not scans
        fix = (
            Fix(
                "safe",
                "shuffles over the group on AMD",
                skip_include(unit, directive),
                helpers=("cg_reduce",) if calls else (),
            )
            if safe
            else Fix("display", "reduce with shuffles on AMD", paste=_TREE)
        )
        yield at_include(unit, CODE, directive, f"HIP's cooperative groups have no {name}", fix)
    for call in calls:
        fix = (
            Fix("safe", "shuffles over the group on AMD", helpers=("cg_reduce",))
            if plain
            else Fix("display", "reduce with shuffles", paste=_TREE)
        )
        yield unit.finding(
            CODE, call.name, call.close, detail="HIP's cooperative groups have no reduce", fix=fix
        )


def _tiles(unit: Unit, group: str) -> bool:
    """Whether the group is a tile of a fixed width, or the active lanes of one wavefront."""
    if not re.fullmatch(r"\w+", group):
        return False
    declared = re.search(
        rf"(?:thread_block_tile\s*<[^;]*?>|coalesced_group|auto)\s*&?\s*{re.escape(group)}\b[^;]*",
        unit.tokens.text,
    )
    known = ("thread_block_tile", "tiled_partition", "coalesced_", "binary_partition", "labeled_partition")
    return declared is not None and any(name in declared.group() for name in known)


_TREE = "for (int m = tile.size() / 2; m > 0; m >>= 1) v += tile.shfl_xor(v, m);"
