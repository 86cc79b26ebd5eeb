"""Known findings that a run need not report again: a baseline file, or the lines a change touched."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from .report import Item


class BaselineError(Exception):
    """The baseline or the revision cannot be used; the message says why."""


def _key(item: Item, base: Path) -> tuple[str, str, str]:
    # The text of the line, not its number: a baseline survives code that moves.
    return os.path.relpath(item.path, base).replace(os.sep, "/"), item.code, item.line.strip()


def without_known(items: Sequence[Item], file: Path) -> list[Item]:
    """The items that the baseline file does not hold; each baseline row excuses one finding."""
    try:
        rows = json.loads(file.read_text("utf-8"))
        known = Counter((r["file"], r["code"], r["line"]) for r in rows["findings"])
    except OSError as e:
        raise BaselineError(f"{file}: {e.strerror}; write one with --write-baseline") from e
    except (ValueError, KeyError, TypeError) as e:
        raise BaselineError(f"{file}: not an amdlint baseline: {e!r}") from e
    left = []
    for item in items:
        key = _key(item, file.absolute().parent)
        if known[key] > 0:
            known[key] -= 1
        else:
            left.append(item)
    return left


def dump(items: Sequence[Item], file: Path) -> bytes:
    """The baseline file that excuses exactly these items."""
    rows = sorted(_key(i, file.absolute().parent) for i in items)
    findings = [{"file": f, "code": c, "line": line} for f, c, line in rows]
    return (json.dumps({"version": 1, "findings": findings}, indent=1, ensure_ascii=False) + "\n").encode()


_HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@")


def changed_since(items: Sequence[Item], revision: str, root: Path) -> list[Item]:
    """The items that touch a line added or changed since a git revision, or a file git does not know yet."""
    added: dict[Path, set[int]] = {}
    new: set[Path] = set()
    top = Path(_git(root, "rev-parse", "--show-toplevel").strip())
    current: Path | None = None
    for line in _git(
        root,
        "diff",
        "--no-color",
        "--no-ext-diff",
        "-U0",
        "--src-prefix=a/",
        "--dst-prefix=b/",
        revision,
        "--",
    ).splitlines():
        if line.startswith("+++ "):
            current = None if line == "+++ /dev/null" else top / line[6:].rstrip("\t")
        elif current and (hunk := _HUNK.match(line)):
            start, count = int(hunk[1]), int(hunk[2] or 1)
            added.setdefault(current, set()).update(range(start, start + count))
    for name in _git(root, "ls-files", "--others", "--exclude-standard", "--full-name", "-z", ":/").split(
        "\0"
    ):
        if name:
            new.add(top / name)
    return [
        i
        for i in items
        if (path := Path(os.path.realpath(i.path))) in new
        or added.get(path, set()) & set(range(i.start.row, i.end.row + 1))
    ]


def _git(folder: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, check=True)
    except FileNotFoundError as e:
        raise BaselineError("--diff-base needs git") from e
    except subprocess.CalledProcessError as e:
        raise BaselineError(f"--diff-base: {os.fsdecode(e.stderr).strip()}") from e
    return os.fsdecode(done.stdout)
