"""AMD2211: L2 residency control."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..names import missing_words
from ..unit import Unit

CODE = "AMD2211"
_NAMES = re.compile(
    r"cudaAccessPolicyWindow|cudaAccessProperty\w*|cudaStreamAttrValue|cudaStreamAttributeAccessPolicyWindow|cudaStreamAttributeValue|cudaLimitPersistingL2CacheSize"
    r"|cudaCtxResetPersistingL2Cache|cudaLaunchAttributeAccessPolicyWindow|cudaStreamSetAttribute|persistingL2CacheMaxSize|accessPolicyMaxWindowSize"
)


@rule(CODE, triggers={"cudaAccessPolicyWindow", "cudaStreamAttrValue", "cudaStreamAttributeAccessPolicyWindow", "cudaLimitPersistingL2CacheSize",
                      "cudaCtxResetPersistingL2Cache", "cudaStreamSetAttribute", "persistingL2CacheMaxSize"})  # fmt: skip
def l2_persistence(unit: Unit) -> Iterator[Finding]:
    for i in missing_words(unit, _NAMES):
        yield unit.finding(
            CODE,
            i,
            detail=f"{unit.texts[i]}: AMD has no control of what stays in the L2 cache",
            fix=Fix(
                "display",
                "leave the hint to NVIDIA",
                paste=f"{unit.if_not_amd}\n  // set the access policy window\n#endif",
            ),
        )
