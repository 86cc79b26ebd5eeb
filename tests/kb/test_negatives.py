"""Logs without an AMD problem get no answer."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from amdlint import kb
from amdlint.kb import match

BASE = kb.load()
LOGS = {
    x["name"]: x["log"] for x in yaml.safe_load(Path(__file__).with_name("negatives.yaml").read_text("utf-8"))
}


@pytest.mark.parametrize("name", LOGS)
def test_silent(name: str) -> None:
    answer = match.explain(LOGS[name], BASE)
    assert [(m.entry.code, m.evidence[0].text) for m in answer.matches] == []


def test_long_healthy_run() -> None:
    """Two nodes of MI250X train for hours and end well."""
    steps = [
        f"nid00{5 + r // 8}: [rank{r}] step {s} loss {2.5 - s / 1000:.3f} grad_norm 0.91 mem 41.2GiB gfx90a"
        for s in range(200)
        for r in range(16)
    ]
    log = "\n".join(
        ["NCCL version 2.18.6+hip6.2", *steps, "Training finished, 0 errors. Saved to /scratch/out"]
    )
    assert match.explain(log, BASE).matches == ()
