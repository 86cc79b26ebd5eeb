"""AMD6119: RAPIDS wheels."""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from .. import packages
from ..file import ProjectFile

NAMES = r"(?:cudf|dask-cudf|cuml|cugraph|cuspatial|cuxfilter|cucim|cuvs|rmm|raft-dask|pylibraft|nx-cugraph|libcudf|rapids)(?:-cu\d\d)?"


@rule(
    "AMD6119",
    triggers={
        "cudf",
        "cuml",
        "cugraph",
        "cucim",
        "cuvs",
        "rmm",
        "rapids",
        "pylibraft",
        "dask",
        "raft",
        "cudf_cu12",
        "cuml_cu12",
        "nx",
        "libcudf",
        "cuspatial",
        "cuxfilter",
    },
)
def rapids_package(file: ProjectFile) -> Iterator[Finding]:
    """Report them."""
    for requirement in packages.asked(file, NAMES):
        yield Finding(
            "AMD6119",
            requirement.start,
            requirement.end,
            detail=f"{requirement.name} runs on NVIDIA GPUs only",
        )
