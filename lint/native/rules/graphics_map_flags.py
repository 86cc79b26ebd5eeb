"""AMD3258: cudaGraphicsResourceSetMapFlags, a hint that HIP does not have."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..names import missing_calls
from ..rewrite import skip_statement
from ..unit import Unit

CODE = "AMD3258"
NAMES = ("cudaGraphicsResourceSetMapFlags", "cuGraphicsResourceSetMapFlags")


@rule(CODE, triggers=set(NAMES))
def graphics_map_flags(unit: Unit) -> Iterator[Finding]:
    for name, call in missing_calls(unit, NAMES):
        function = unit.function(call.name)
        first = call.name
        while function is not None and first > function.body and unit.texts[first - 1] not in (";", "{", "}"):
            first -= 1
        # the call alone, or inside the macro that checks its result
        plain = unit.texts[first + 1] == "(" and unit.texts[first] not in ("if", "while", "return", "switch")
        edits = skip_statement(unit, first) if plain and function is not None else None
        fix = (
            Fix("safe", "no hint on AMD", edits)
            if edits
            else Fix(
                "display", "leave the hint out on AMD", paste=f"{unit.if_not_amd}\n  {name}(...);\n#endif"
            )
        )
        detail = f"HIP has no {name}: a resource is mapped with the flags that it was registered with"
        yield unit.finding(CODE, call.name, call.close, detail=detail, fix=fix)
