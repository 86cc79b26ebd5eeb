"""GitLab code quality report."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Sequence

from . import Item

_LEVEL = {"error": "major", "warning": "minor", "note": "info"}


def render(found: Sequence[Item], **_: object) -> str:
    seen: Counter[str] = Counter()
    issues = []
    for item in found:
        path = os.path.relpath(item.path).replace(os.sep, "/")
        # Line numbers stay out of the fingerprint: moving code must not make an issue new.
        identity = f"{path}\0{item.code}\0{item.line.strip()}"
        seen[identity] += 1
        issues.append(
            {
                "check_name": item.code,
                "description": f"{item.code}: {item.message}",
                "severity": _LEVEL[item.severity],
                "fingerprint": hashlib.sha256(f"{identity}\0{seen[identity]}".encode()).hexdigest()[:32],
                "location": {"path": path, "lines": {"begin": item.start.row, "end": item.end.row}},
            }
        )
    return json.dumps(issues, indent=2, ensure_ascii=False)
