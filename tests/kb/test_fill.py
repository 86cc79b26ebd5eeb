"""Placeholders of fixes, filled from what is known, left open with the command that tells otherwise."""

from __future__ import annotations

import pytest
from amdlint.kb import fill
from amdlint.kb.context import Context
from amdlint.kb.model import Step

MACHINE = Context(gfx=("gfx1031",), rocm="6.4.1", torch="2.9.0+rocm6.4")


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("PYTORCH_ROCM_ARCH={gfx} make", "PYTORCH_ROCM_ARCH=gfx1031 make"),
        ("HSA_OVERRIDE_GFX_VERSION={override}", "HSA_OVERRIDE_GFX_VERSION=10.3.0"),
        (
            "pip install torch=={torch} --index-url {wheel_index}",
            "pip install torch==2.9.0 --index-url https://download.pytorch.org/whl/rocm6.4",
        ),
        ("rocm{rocm}", "rocm6.4"),
        ("awk '{print $1}' ${HOME} {other}", "awk '{print $1}' ${HOME} {other}"),
    ],
)
def test_known_facts_are_filled_in(text: str, filled: str) -> None:
    assert fill.fill(text, MACHINE) == fill.Filled(filled)


def test_unknown_facts_stay_open_and_are_named_once() -> None:
    got = fill.fill("{gfx} {gfx} {wheel_index}", Context())
    assert got == fill.Filled("<gfx> <gfx> <wheel_index>", ("gfx", "wheel_index"))
    assert set(fill.tells([got])) == {"gfx", "wheel_index"}


def test_of_two_cards_none_is_chosen() -> None:
    assert fill.fill("{gfx}", Context(gfx=("gfx1030", "gfx1036"))).text == "<gfx>"


def test_a_card_without_a_known_override_gets_none() -> None:
    assert fill.fill("{override}", Context(gfx=("gfx942",))).unknown == ("override",)


def test_code_and_prose_have_no_placeholders() -> None:
    assert fill.step(Step(code="f'{gfx}'"), MACHINE) == ("code", fill.Filled("f'{gfx}'"))
    assert fill.step(Step(run="echo {gfx}"), MACHINE) == ("run", fill.Filled("echo gfx1031"))
