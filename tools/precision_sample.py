"""Draw findings from real repositories for a human to judge: the same folders give the same sample.

    python tools/precision_sample.py checkouts/* > sample.txt
    python tools/precision_sample.py --save findings/ checkouts/*      # keep the JSON of each repository
    python tools/precision_sample.py --load findings/ checkouts/*      # draw from what was kept

Each folder is one repository. At most --cap findings of one code and one repository may be drawn, so that
no repository with a hundred equal lines decides the result; then one finding of every code is taken, and
the rest at random up to --number. What the judges decided stands in docs/precision.md.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Finding = dict[str, Any]


def findings(repo: Path) -> list[Finding]:
    """What amdlint reports in a repository, file names relative to it."""
    command = [sys.executable, "-m", "amdlint.lint", "--output-format", "json", "--no-cache", "--exit-zero"]
    run = subprocess.run([*command, str(repo)], capture_output=True, text=True, check=True)
    found: list[Finding] = json.loads(run.stdout)
    for finding in found:
        finding["filename"] = str(Path(finding["filename"]).resolve().relative_to(repo.resolve()))
    return found


def draw(found: dict[str, list[Finding]], number: int, cap: int, seed: int) -> list[tuple[str, Finding]]:
    """The sample as (repository, finding), ordered by code and place."""
    rng = random.Random(seed)
    groups: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for repo in sorted(found):
        for finding in sorted(found[repo], key=_place):
            groups[finding["code"], repo].append(finding)
    pool: dict[str, list[tuple[str, Finding]]] = defaultdict(list)
    for (code, repo), group in sorted(groups.items()):
        pool[code] += [(repo, f) for f in (rng.sample(group, cap) if len(group) > cap else group)]
    sample, rest = [], []
    for code in sorted(pool):
        rng.shuffle(pool[code])
        sample.append(pool[code][0])
        rest += pool[code][1:]
    rng.shuffle(rest)
    sample += rest[: max(0, number - len(sample))]
    return sorted(sample, key=lambda x: (x[1]["code"], x[0], _place(x[1])))


def _place(finding: Finding) -> tuple[str, int, int]:
    return finding["filename"], finding["location"]["row"], finding["location"]["column"]


def show(folder: Path, repo: str, finding: Finding, context: int) -> Iterable[str]:
    """A finding with the code around it and the fix it offers."""
    row = finding["location"]["row"]
    yield f"{finding['code']} {finding['severity']} {repo}/{finding['filename']}:{row}  {finding['message']}"
    lines = (folder / finding["filename"]).read_text("utf-8", "replace").splitlines()
    if not finding["filename"].endswith(".ipynb"):
        for n in range(max(1, row - context), min(len(lines), finding["end_location"]["row"] + context) + 1):
            yield f"{'>' if n == row else ' '}{n:5} {lines[n - 1][:160]}"
    fix = finding["fix"]
    if fix:
        text = " | ".join(e["content"].strip() for e in fix["edits"])
        yield f"       fix ({fix['applicability']}): {fix['message']}: {text[:200]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("repos", nargs="+", type=Path)
    parser.add_argument("--number", type=int, default=300)
    parser.add_argument("--cap", type=int, default=12)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--context", type=int, default=4)
    parser.add_argument("--save", type=Path)
    parser.add_argument("--load", type=Path)
    args = parser.parse_args()
    found: dict[str, list[Finding]] = {}
    for repo in args.repos:
        kept = (args.load or args.save or Path()) / f"{repo.name}.json"
        found[repo.name] = json.loads(kept.read_text()) if args.load else findings(repo)
        if args.save:
            args.save.mkdir(parents=True, exist_ok=True)
            kept.write_text(json.dumps(found[repo.name]))
    folders = {repo.name: repo for repo in args.repos}
    for number, (name, finding) in enumerate(draw(found, args.number, args.cap, args.seed), 1):
        print(f"\n[{number}] " + "\n".join(show(folders[name], name, finding, args.context)))


if __name__ == "__main__":
    main()
