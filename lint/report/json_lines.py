"""One JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Sequence

from . import Item
from .json import record


def render(found: Sequence[Item], **_: object) -> str:
    return "\n".join(json.dumps(record(i), ensure_ascii=False) for i in found)
