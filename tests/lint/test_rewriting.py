"""What every rewrite keeps, whatever the rule: syntax, meaning of the rest, bytes of the rest, and itself.

The material is every bad example of the knowledge base and the example repository of the docs, as written and in
other clothes: line ends, indentation, byte order mark, aliases, comments, parentheses.
"""

from __future__ import annotations

import ast
import io
import re
import textwrap
import tokenize
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from amdlint.kb import load
from amdlint.lint import engine, fix, syntax
from amdlint.lint.discover import language_of
from amdlint.lint.finding import Finding
from amdlint.lint.python.helpers import HELPERS
from amdlint.lint.repo import Repo
from amdlint.lint.settings import Settings
from amdlint.lint.source import Source
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

EXAMPLE = Path(__file__).parent.parent.parent / "docs/examples/cuda-finetune"
DEFAULT_PATHS = {"python": "example.py", "native": "example.cu"}


@dataclass(frozen=True)
class Case:
    """One text with something to find."""

    name: str
    path: str
    text: str

    @property
    def language(self) -> str:
        return language_of(Path(self.path)) or ""

    def with_text(self, text: str) -> Case:
        return Case(self.name, self.path, text)


def _cases() -> list[Case]:
    found = []
    for entry in load():
        for number, example in enumerate(entry.examples):
            path = example.path or DEFAULT_PATHS.get(entry.rule or "")
            if example.bad and path and language_of(Path(path)):
                found.append(Case(f"{entry.code}-{entry.slug}-{number}", path, example.bad))
    for file in sorted(EXAMPLE.rglob("*")):
        if file.is_file() and language_of(file) and file.stat().st_size:
            found.append(Case(file.name, file.relative_to(EXAMPLE).as_posix(), file.read_text("utf-8")))
    return found


CASES = _cases()
PYTHON = [c for c in CASES if c.path.endswith(".py")]
LEVELS = (False, True)


def _repo(path: Path, raw: bytes) -> Repo:
    return Repo(Path("."), [path], {path: raw})


@cache
def findings(path: str, raw: bytes) -> tuple[Finding, ...]:
    return tuple(engine.check_text(path, raw))


@cache
def result(path: str, raw: bytes, unsafe: bool) -> fix.Result:
    source = engine.read(Path(path), raw)
    outcome = fix.apply(source, _repo(source.path, raw), Settings(), unsafe=unsafe)
    assert outcome.faults == []
    return outcome


def fixed(path: str, raw: bytes | str, unsafe: bool = True) -> bytes:
    """The bytes on disk after the fixes."""
    raw = raw.encode() if isinstance(raw, str) else raw
    outcome = result(path, raw, unsafe)
    return outcome.source.encoded(outcome.data)


def rows(path: str, text: str) -> list[tuple[str, int]]:
    """(code, row) of all findings, in order."""
    raw = text.encode()
    source = engine.read(Path(path), raw)
    return sorted((f.code, source.position(f.start)[0]) for f in findings(path, raw))


def every(cases: list[Case]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases, ids=lambda c: c.name)


# ---------------------------------------------------------------------- the proofs


@every(CASES)
def test_the_file_parses_the_finding_is_gone_and_no_other_has_come(case: Case) -> None:
    raw = case.text.encode()
    had = Counter(f.code for f in findings(case.path, raw))
    for unsafe in LEVELS:
        outcome = result(case.path, raw, unsafe)
        after = fixed(case.path, raw, unsafe)
        source = engine.read(Path(case.path), after)
        assert syntax.errors(source) <= syntax.errors(Source(case.path, raw))
        has = Counter(f.code for f in findings(case.path, after))
        gone = Counter(f.code for f in outcome.fixed)
        assert all(has[code] <= had[code] - gone[code] for code in has.keys() | gone.keys())
        assert outcome.changed == bool(outcome.fixed)


@every(CASES)
def test_every_fix_on_offer_passes_its_proof(case: Case) -> None:
    outcome = result(case.path, case.text.encode(), True)
    assert [(f.code, f.detail) for f, _ in outcome.dropped] == []


@every(CASES)
def test_a_second_run_changes_nothing(case: Case) -> None:
    for unsafe in LEVELS:
        once = fixed(case.path, case.text, unsafe)
        assert fixed(case.path, once, unsafe) == once


@every(CASES)
def test_unsafe_fixes_wait_to_be_asked_for(case: Case) -> None:
    assert {f.fix.applicability for f in result(case.path, case.text.encode(), False).fixed if f.fix} <= {
        "safe"
    }
    assert all(
        f.fix.reason
        for f in findings(case.path, case.text.encode())
        if f.fix and f.fix.applicability == "unsafe"
    )


# ---------------------------------------------------------------------- bytes of the rest


@every(CASES)
def test_line_ends_are_kept(case: Case) -> None:
    for newline in ("\r\n", "\r"):
        for unsafe in LEVELS:
            expected = fixed(case.path, case.text, unsafe).replace(b"\n", newline.encode())
            assert fixed(case.path, case.text.replace("\n", newline), unsafe) == expected


@every([c for c in CASES if c.text.count("\n") > 2 and c.language != "project"])
def test_mixed_line_ends_are_kept(case: Case) -> None:
    """The first line end differs from the others: lines that no edit touches keep theirs."""
    mixed = case.text.replace("\n", "\r\n").replace("\r\n", "\n", 1).encode()
    after = fixed(case.path, mixed)
    squeezed = [
        re.sub(rb"\n+", b"\n", x.replace(b"\r\n", b"\n")) for x in (after, fixed(case.path, case.text))
    ]
    assert squeezed[0] == squeezed[1]
    kept = set(case.text.encode().split(b"\n")[1:-1]) & set(after.replace(b"\r\n", b"\n").split(b"\n")[1:])
    assert all(line + b"\r\n" in after for line in kept)


@every(CASES)
def test_a_byte_order_mark_is_kept(case: Case) -> None:
    bom = b"\xef\xbb\xbf"
    assert fixed(case.path, bom + case.text.encode()) == bom + fixed(case.path, case.text)


@every(CASES)
def test_a_missing_last_line_end_stays_missing(case: Case) -> None:
    bare = case.text.rstrip("\n")
    assert fixed(case.path, bare) == fixed(case.path, case.text).rstrip(b"\n")


TAILS = {
    "python": "# caf\u00e9 \t \n\n#\ttabs\t\n\x0c\n#  x  ",
    "native": "// caf\u00e9 \t \n\n//\ttabs\t\n//  x  ",
}


@every([c for c in CASES if c.language in TAILS])
def test_lines_without_an_edit_are_the_same_bytes(case: Case) -> None:
    """Odd white space, other encodings' letters and a missing last line end, above and below."""
    tail = TAILS[case.language].encode()
    assert fixed(case.path, case.text.encode() + tail) == fixed(case.path, case.text) + tail


@every([c for c in CASES if c.language == "python"])
def test_files_in_other_encodings(case: Case) -> None:
    head = "# -*- coding: gbk -*-\n# \u663e\u5361\n"
    if not case.path.endswith(".py") or not case.text.isascii() or case.text.startswith(("#", '"""')):
        pytest.skip("the coding line would not be the first")
    plain = fixed(case.path, head.replace("gbk", "utf-8") + case.text).decode()
    assert fixed(case.path, (head + case.text).encode("gbk")) == plain.replace("utf-8", "gbk", 1).encode(
        "gbk"
    )


# ---------------------------------------------------------------------- Python in other clothes


def _tokens(text: str) -> list[tokenize.TokenInfo]:
    return list(tokenize.generate_tokens(io.StringIO(text).readline))


def _inner_lines(text: str) -> set[int]:
    """Rows that a string of several lines goes on in: they belong to the string."""
    found: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if (
            isinstance(node, (ast.Constant, ast.JoinedStr))
            and node.end_lineno
            and node.end_lineno > node.lineno
        ):
            found |= set(range(node.lineno + 1, node.end_lineno + 1))
    return found


def with_tabs(text: str) -> str:
    """Tabs in place of four spaces."""
    inner = _inner_lines(text)
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        indent = len(line) - len(line.lstrip(" "))
        if number not in inner:
            lines[number - 1] = "\t" * (indent // 4) + " " * (indent % 4) + line[indent:]
    return "\n".join(lines)


def indented(text: str, head: str) -> str:
    """Inside a block."""
    inner = _inner_lines(text)
    lines = text.split("\n")
    body = [line if n in inner or not line else f"    {line}" for n, line in enumerate(lines, 1)]
    return "\n".join([head, *body])


def with_alias(text: str, alias: str = "th") -> str:
    """``import torch as th``, and th from then on."""
    out = list(text)
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    tokens = [t for t in _tokens(text) if t.type not in (tokenize.NL, tokenize.COMMENT)]
    for before, token, after in zip([tokens[0], *tokens], tokens, [*tokens[1:], tokens[-1]], strict=False):
        at = starts[token.start[0] - 1] + token.start[1]
        if token.type == tokenize.NAME and token.string == "torch" and before.string not in (".", "from"):
            if before.string == "import" and after.string == ".":
                continue  # ``import torch.nn as nn`` has no other name for torch
            name = f"torch as {alias}" if before.string == "import" else alias
            out[at : at + 5] = [name, "", "", "", ""]
    return "".join(out)


def with_comments(text: str) -> str:
    """A comment behind every statement, and one above."""
    lines = text.split("\n")
    ends = {t.start[0] for t in _tokens(text) if t.type == tokenize.NEWLINE and t.string}
    commented = {t.start[0] for t in _tokens(text) if t.type == tokenize.COMMENT}
    return "\n".join(
        f"{line}  # why ({n})" if n in ends and n not in commented else line
        for n, line in enumerate(lines, 1)
    )


def with_parentheses(text: str) -> str:
    """Every call that is a value in brackets of its own."""
    tree = ast.parse(text)
    starts = Source("x.py", text.encode()).line_starts
    data = text.encode()
    places = []
    for node in ast.walk(tree):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Call) and not isinstance(
                node, (ast.Expr, ast.JoinedStr, ast.FormattedValue)
            ):
                if child in getattr(node, "decorator_list", ()) or any(
                    isinstance(n, (ast.JoinedStr,)) for n in ast.walk(child)
                ):
                    continue
                places.append((starts[child.lineno - 1] + child.col_offset, b"("))
                places.append((starts[(child.end_lineno or 1) - 1] + (child.end_col_offset or 0), b")"))
    for at, sign in sorted(places, key=lambda p: (-p[0], p[1] == b")")):
        data = data[:at] + sign + data[at:]
    return data.decode()


def in_fstring(text: str) -> bool:
    return any(isinstance(n, ast.JoinedStr) for n in ast.walk(ast.parse(text)))


@every(PYTHON)
def test_tabs(case: Case) -> None:
    expected = with_tabs(fixed(case.path, case.text).decode())
    assert rows(case.path, with_tabs(case.text)) == rows(case.path, case.text)
    assert with_tabs(fixed(case.path, with_tabs(case.text)).decode()) == expected


HEADS = ("if ready:", "def main():", "class Holder:", "for _ in range(2):", "with lock:")


@every(PYTHON)
def test_inside_a_block(case: Case) -> None:
    """Found in the same lines (fewer where only the top level of a file is judged), and rewritten in place."""
    if (
        "__future__" in case.text
        or "import *" in case.text
        or re.search(r"^\s*return\b", case.text, re.MULTILINE)
    ):
        pytest.skip("stands at the top level only")
    lower = {(code, row + 1) for code, row in rows(case.path, case.text)}
    for head in HEADS:
        text = indented(case.text, head)
        found = set(rows(case.path, text))
        if head in ("if ready:", "with lock:"):
            assert found <= lower
        after = fixed(case.path, text)
        ast.parse(after)
        assert fixed(case.path, after) == after
        mine = result(case.path, text.encode(), True).fixed
        plain = result(case.path, case.text.encode(), True).fixed
        needs = any(f.fix.imports or f.fix.helpers for f in (*mine, *plain) if f.fix)
        if head == "if ready:" and not needs and len(mine) == len(plain):
            assert after.decode() == indented(fixed(case.path, case.text).decode(), head)


@every([c for c in PYTHON if re.search(r"^import torch$", c.text, re.MULTILINE)])
def test_torch_under_another_name(case: Case) -> None:
    text = with_alias(case.text)
    assert rows(case.path, text) == rows(case.path, case.text)
    after = fixed(case.path, text).decode()
    tree = ast.parse(after)
    assert fixed(case.path, after) == after.encode()
    bound = {
        a.asname or a.name.split(".")[0] for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names
    }
    used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    assert used & {"torch", "th"} <= bound  # whatever a fix calls torch is imported under that name


@every(PYTHON)
def test_with_comments(case: Case) -> None:
    text = with_comments(case.text)
    assert rows(case.path, text) == rows(case.path, case.text)
    after = fixed(case.path, text)
    ast.parse(after)
    assert fixed(case.path, after) == after
    # no comment is lost unless its line is replaced as a whole, and none is doubled
    notes = Counter(re.findall(rb"# why \(\d+\)", after))
    assert all(n == 1 for n in notes.values())


@every([c for c in PYTHON if not in_fstring(c.text)])
def test_with_parentheses(case: Case) -> None:
    text = with_parentheses(case.text)
    assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(case.text))
    assert [c for c, _ in rows(case.path, text)] == [c for c, _ in rows(case.path, case.text)]
    after = fixed(case.path, text)
    ast.parse(after)
    assert fixed(case.path, after) == after
    if len(result(case.path, text.encode(), True).fixed) == len(
        result(case.path, case.text.encode(), True).fixed
    ):
        assert ast.dump(ast.parse(after)) == ast.dump(ast.parse(fixed(case.path, case.text)))


# ---------------------------------------------------------------------- several fixes, several runs

QUICK = settings(
    max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)


def _imports(text: bytes) -> Counter[str]:
    """Import statements at the top level, written out."""
    tree = ast.parse(text)
    return Counter(ast.unparse(n) for n in tree.body if isinstance(n, (ast.Import, ast.ImportFrom)))


@QUICK
@given(st.sampled_from(PYTHON), st.sampled_from(PYTHON), st.booleans())
def test_imports_and_helpers_come_once_even_in_two_runs(one: Case, other: Case, unsafe: bool) -> None:
    if "__future__" in other.text:
        return
    text = f"{one.text}\n\n{other.text}"
    first_codes = tuple({f.code for f in findings("example.py", text.encode())})[:1]
    source = engine.read(Path("example.py"), text.encode())
    first = fix.apply(
        source, _repo(source.path, text.encode()), Settings(select=first_codes or ("AMD",)), unsafe=unsafe
    )
    again = fixed("example.py", first.data, unsafe)
    had, has = _imports(text.encode()), _imports(again)
    for statement, count in has.items():
        if statement in ("import torch", "import os", "import shutil"):
            assert count <= max(1, had[statement])
    defined = Counter(n.name for n in ast.walk(ast.parse(again)) if isinstance(n, ast.FunctionDef))
    assert all(defined[name] <= 1 for name in HELPERS)
    assert fixed("example.py", again, unsafe) == again


NATIVE = [c for c in CASES if c.path.endswith(".cu")]


@QUICK
@given(st.sampled_from(NATIVE), st.sampled_from(NATIVE))
def test_native_helpers_come_once_even_in_two_runs(one: Case, other: Case) -> None:
    text = f"{one.text}\n{other.text}"
    raw = text.encode()
    code = next((f.code for f in findings("example.cu", raw) if f.fix and f.fix.helpers), "AMD")
    source = engine.read(Path("example.cu"), raw)
    first = fix.apply(source, _repo(source.path, raw), Settings(select=(code,)), unsafe=False)
    again = fixed("example.cu", first.data, False)
    helper = re.compile(
        rb"^(?:#define|(?:static )?(?:inline )?__device__[^(\n]*?)\s*\b(amd\w+|AMD_\w+)", re.MULTILINE
    )
    defined = Counter(helper.findall(again))
    already = Counter(helper.findall(raw))
    assert all(n <= max(1, already[name]) for name, n in defined.items())
    assert fixed("example.cu", again, False) == again


@QUICK
@given(
    st.sampled_from(PYTHON),
    st.sampled_from([with_tabs, with_comments, with_parentheses, textwrap.dedent]),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
def test_clothes_over_clothes(case: Case, dress: object, newline: str, bom: bool) -> None:
    if dress is with_parentheses and in_fstring(case.text):
        return
    text = dress(case.text).replace("\n", newline).encode()  # type: ignore[operator]
    raw = b"\xef\xbb\xbf" + text if bom else text
    after = fixed(case.path, raw)
    assert after.startswith(b"\xef\xbb\xbf") == bom
    assert after.count(b"\n") == after.count(newline.encode())
    ast.parse(after)
    assert fixed(case.path, after) == after
