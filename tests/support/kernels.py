"""The test kernels: whole CUDA programs, and what is known of them before and after amdlint's rewrite.

A program opens with lines for the test:

    //= codes: AMD3201            the rules that report it ("none": it must stay without lane findings)
    //= before: gfx942 wrong      how the untouched program ends on the AMD targets (NVIDIA: always right)

Where a rule only shows code, the program marks the lines that a reader would replace by it:

    //= instead: fix 1 of AMD3218, "// critical section" is "*sum += v;"
    ...
    //= end

"fix N" is the code of the entry's Nth fix, "paste" the code that the finding itself shows.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from amdlint import kb
from amdlint.lint.engine import check_text, fix_text

FOLDER = Path(__file__).parents[1] / "kernels"
_INSTEAD = re.compile(
    r"^[ \t]*//= instead: (?:fix (?P<fix>\d)|paste) of (?P<code>AMD\d{4})(?P<words>.*)\n(?P<old>(?:.*\n)*?)[ \t]*//= end\n",
    re.MULTILINE,
)


entries = cache(partial(kb.load, cache=False))


@dataclass(frozen=True)
class Kernel:
    """One program."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def text(self) -> str:
        return self.path.read_text()

    @property
    def codes(self) -> list[str]:
        return [c for c in self._head("codes").split() if c != "none"]

    @property
    def before(self) -> dict[str, str]:
        """How the untouched program ends, by target."""
        ends = (part.strip().split(" ", 1) for part in self._head("before").split(",") if part.strip())
        return dict(ends)

    @cache  # noqa: B019  (the kernels live as long as the tests)
    def found(self, text: str) -> list[str]:
        """The codes that amdlint reports in a text of this program."""
        return sorted({f.code for f in check_text(self.path.name, text)})

    @cache  # noqa: B019
    def fixed(self) -> str:
        """The program after ``amdlint --fix``."""
        return fix_text(self.path.name, self.text)

    @cache  # noqa: B019
    def after(self) -> str:
        """The program after ``amdlint --fix``, with the code that is only shown put in by hand."""
        return fix_text(self.path.name, _INSTEAD.sub(self._shown, self.text))

    def _head(self, key: str) -> str:
        m = re.search(rf"^//= {key}:(.*)$", self.text, re.MULTILINE)
        return m.group(1).strip() if m else ""

    def _shown(self, m: re.Match[str]) -> str:
        if m["fix"]:
            entry = next(e for e in entries() if e.code == m["code"])
            code = "\n".join(s.code for s in entry.fixes[int(m["fix"]) - 1].steps if s.code)
        else:
            fixes = (f.fix for f in check_text(self.path.name, self.text) if f.code == m["code"])
            code = next(f.paste for f in fixes if f is not None and f.paste)
        for old, new in re.findall(r'"([^"]*)" is "([^"]*)"', m["words"]):
            assert old in code, f"{m['code']} no longer shows {old!r}"
            code = code.replace(old, new)
        return textwrap.indent(code.rstrip("\n"), "  ") + "\n"


def kernels(folder: str) -> Iterator[Kernel]:
    """All programs of one folder."""
    for path in sorted((FOLDER / folder).glob("*.cu")):
        yield Kernel(path)
