"""Does confidence mean what it says? A reliability table over labelled logs.

    python tests/benchmarks/reliability.py CASES.yaml [CASES.yaml ...]

A case has ``kind`` (positive or negative), ``log`` and, when positive, ``answer_any``, ``answer_all`` and
``answer_not``: expressions that the text of a right answer must satisfy. Without arguments the entries'
own example logs are the cases, which flatters: they were written together with the signatures.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml
from amdlint.kb import load, match
from amdlint.lint.explain import as_json

BASE = load()
EDGES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def text(node: Any) -> str:
    """All prose and commands of an answer."""
    if isinstance(node, dict):
        return "\n".join(text(v) for k, v in node.items() if k not in ("sources", "evidence"))
    if isinstance(node, list):
        return "\n".join(map(text, node))
    return str(node)


def right(case: dict[str, Any], said: str) -> bool:
    """Whether an answer satisfies the label."""

    def holds(pattern: str) -> bool:
        return re.search(pattern, said, re.I | re.S) is not None

    return (
        case["kind"] == "positive"
        and any(map(holds, case["answer_any"]))
        and all(map(holds, case.get("answer_all") or ()))
        and not any(map(holds, case.get("answer_not") or ()))
    )


def of_files(files: list[str]) -> Iterator[tuple[float, bool]]:
    """(confidence, right) of the first answer to each case that gets one."""
    for file in files:
        for case in yaml.safe_load(Path(file).read_text("utf-8")):
            answer = match.explain(case["log"], BASE)
            if answer.matches:
                yield answer.matches[0].confidence, right(case, text(as_json(answer)["matches"][0]))


def of_examples() -> Iterator[tuple[float, bool]]:
    for entry in BASE:
        for example in entry.examples:
            if example.log is not None and (matches := match.explain(example.log, BASE).matches):
                same = matches[0].entry is entry
                yield (
                    matches[0].confidence,
                    same if example.match == "first" else not same or example.match == "listed",
                )


def main() -> None:
    pairs = list(of_files(sys.argv[1:]) if len(sys.argv) > 1 else of_examples())
    print("confidence   answers   right   mean confidence")
    for low, high in pairwise(EDGES):
        inside = [(c, ok) for c, ok in pairs if low <= c < high or c == high == 1]
        if inside:
            hits = sum(ok for _, ok in inside) / len(inside)
            mean = sum(c for c, _ in inside) / len(inside)
            print(f"{low:.1f} - {high:.1f}    {len(inside):7}   {hits:5.0%}   {mean:.2f}")


if __name__ == "__main__":
    main()
