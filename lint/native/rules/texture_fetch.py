"""AMD3242: texture and surface functions, which gfx942 and gfx950 lack."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..unit import Unit

CODE = "AMD3242"
_FETCH = re.compile(
    r"tex(?:1D|2D|3D|Cubemap)(?:Layered)?(?:Lod|Grad|gather)?|tex1Dfetch|tex2Dgather|surf(?:1D|2D|3D)(?:Layered)?(?:read|write)"
)
_NAMES = (
    {
        f"tex{d}{s}"
        for d in ("1D", "2D", "3D", "Cubemap")
        for s in ("", "Lod", "Grad", "Layered", "LayeredLod", "LayeredGrad")
    }
    | {"tex1Dfetch", "tex2Dgather"}
    | {
        f"surf{d}{layer}{op}"
        for d in ("1D", "2D", "3D")
        for layer in ("", "Layered")
        for op in ("read", "write")
    }
)


@rule(CODE, triggers=_NAMES)
def texture_fetch(unit: Unit) -> Iterator[Finding]:
    names = [n for n in unit.tokens.words if _FETCH.fullmatch(n) and not unit.provided(n)]
    for call in unit.calls(*names):
        if len(call.args) < 2 or _image_guard(unit, call.name):
            continue
        yield unit.finding(
            CODE,
            call.name,
            call.close,
            detail=f"gfx942 and gfx950 have no image hardware: {unit.texts[call.name]} is marked unavailable there",
            fix=Fix(
                "display",
                "fetch by hand where images are missing",
                paste="#if defined(__HIP_NO_IMAGE_SUPPORT) && __HIP_NO_IMAGE_SUPPORT\n  // plain loads and interpolation\n#endif",
            ),
            targets=("gfx942", "gfx950"),
        )


def _image_guard(unit: Unit, i: int) -> bool:
    """Whether a condition around the token asks for image support."""
    branch = unit.branch(i)
    while branch is not None:
        for other in branch.conditional.branches:
            words = unit.texts[other.opener.first : other.opener.last]
            if any("IMAGE_SUPPORT" in w or w in ("__gfx942__", "__gfx950__", "__gfx940__") for w in words):
                return True
        branch = branch.parent
    return False
