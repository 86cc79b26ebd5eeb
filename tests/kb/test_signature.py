"""The dialect of signatures: linear by construction, with a literal to search for."""

from __future__ import annotations

import pytest
from amdlint.kb import load, signature
from amdlint.kb.model import Signature
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("regex", "literals"),
    [
        (r"HIP error: .{0,80}ordinal", ("HIP error: ",)),
        (r"GPU arch : gfx[0-9a-f]+$", ("GPU arch : gfx",)),
        (r"[0-9]+ ms later", (" ms later",)),
        (r"(?:hipError[A-Za-z]{1,40}|rocBLAS error): no", ("hipError", "rocBLAS error")),
        (r"F[.](embedding|nll_loss)[(]", ("F.embedding", "F.nll_loss")),
        (r"(Agent) handle: 0x[0-9a-f]{1,16}[)] reason", ("Agent handle: 0x",)),
        (r"Failed to get (?:user )?name", ("Failed to get ",)),
    ],
)
def test_good_expressions_and_their_literals(regex: str, literals: tuple[str, ...]) -> None:
    assert signature.regex_problems(regex) == []
    assert signature.required_literals(regex) == literals


@pytest.mark.parametrize(
    ("regex", "why"),
    [
        (r"(a+)+bbbb", "repeat inside a repeat"),
        (r"(?:ab{1,3}){0,9}cdef", "repeat inside a repeat"),
        (r"(?:word ?)*endless", "without limit"),
        (r".*HIP error", "ways to match"),
        (r"[a-z]+[a-f]+gggg", "ways to match"),
        (r"\S+error: no", "ways to match"),
        (r".{0,80}a.{0,80}b.{0,80}c.{0,80}defg", "ways to match"),
        (r"x{0,300}foobar", "up to 200"),
        (r"(foobar) \1", "groupref"),
        (r"foobar(?=baz)", "assert"),
        (r"(?<!x)foobar", "assert"),
        (r"(?i)foobar", "flags"),
        (r"a.b.c.d", "literal of at least 4"),
        (r"(?:error|[0-9]+)", "literal of at least 4"),
        (r"unclosed (group", "not a regular expression"),
    ],
)
def test_bad_expressions_are_refused(regex: str, why: str) -> None:
    assert any(why in p for p in signature.regex_problems(regex)), signature.regex_problems(regex)


def test_problems_name_the_field() -> None:
    bad = Signature(regex=".*x", beside=("/(a+)+/", "y"), text=" ab")
    assert {field for field, _ in signature.problems(bad)} == {"regex", "text", "beside[0]", "beside[1]"}


def test_a_path_between_slashes_is_no_expression() -> None:
    assert signature.compile_context("/mnt/c/").regex is None
    assert signature.compile_context("/gfx103[0-6]/").regex is not None


def test_matches_far_into_a_long_line() -> None:
    pattern = signature.compile_regex(r"HIP error: .{0,20}ordinal")
    assert pattern.found_in("HIP error: other " * 5000 + "HIP error: invalid device ordinal" + " tail" * 5000)
    assert not pattern.found_in("HIP error: other " * 5000)


@given(st.text(alphabet="ab :", max_size=60), st.text(alphabet="ab :", max_size=60))
def test_the_window_loses_no_match(before: str, after: str) -> None:
    pattern = signature.compile_regex(r"a{1,3}: .{0,9}bbbb")
    line = before + "aa: abbbb" + after
    assert pattern.found_in(line)


def test_every_expression_of_the_entries_is_of_the_dialect() -> None:
    wrong = {
        entry.code: problems
        for entry in load()
        for s in entry.signatures
        if (problems := signature.problems(s))
    }
    assert wrong == {}


class Counting(str):
    """A line that counts how often it is searched."""

    searches = 0

    def find(self, *args: object) -> int:  # type: ignore[override]
        Counting.searches += 1
        return str.find(self, *args)  # type: ignore[arg-type]


def test_a_megabyte_of_the_literal_is_searched_in_steps_of_half_a_window() -> None:
    literal = "HIP error: "
    pattern = signature.compile_regex(r"HIP error: [0-9]{1,9}x")
    line = Counting(literal * (1_000_000 // len(literal)))
    assert not pattern.found_in(line)
    assert Counting.searches <= 1_000_000 // (signature.WINDOW // 2) + 2
