"""AMD3245: thread-block clusters and distributed shared memory."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..names import missing_words
from ..unit import Unit

CODE = "AMD3245"
_NAMES = re.compile(
    r"__cluster_dims__|this_cluster|cluster_group|map_shared_rank|cudaLaunchAttributeClusterDimension|cudaFuncAttributeNonPortableClusterSizeAllowed|cudaOccupancyMaxActiveClusters|__clusterDimIsSpecified|__clusterRelativeBlockRank|clusterDim|clusterIdx"
)


@rule(CODE, triggers=set(_NAMES.pattern.split("|")))
def cluster_launch(unit: Unit) -> Iterator[Finding]:
    for i in missing_words(unit, _NAMES):
        name = unit.texts[i]
        yield unit.finding(
            CODE,
            i,
            detail=f"{name}: no AMD GPU before gfx1250 has clusters of thread blocks",
            fix=Fix(
                "display",
                "exchange through global memory or a second kernel",
                paste=f"{unit.if_not_amd}\n  // the cluster version\n#else\n  // partial results in global memory, a second kernel adds them\n#endif",
            ),
        )
