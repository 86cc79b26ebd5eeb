"""AMD3233: cg::labeled_partition."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..names import missing_calls
from ..unit import Unit

CODE = "AMD3233"


@rule(CODE, triggers={"labeled_partition", "binary_partition"})
def cg_labeled_partition(unit: Unit) -> Iterator[Finding]:
    for name, call in missing_calls(unit, ("labeled_partition",)):
        fix = Fix("safe", "one binary partition for each label on AMD", helpers=(name,))
        yield unit.finding(CODE, call.name, call.close, detail=f"HIP has no {name}", fix=fix)
