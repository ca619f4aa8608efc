"""A name that a comprehension gives a value with ``:=`` is one of the function, or script, around it."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import sys
import torch

here = torch.ones(4, device="cuda")
made = {made}


def found(value):
    kept = here
    {use}
    return kept


kept = here
{use}
here + kept
here + found(made)
"""
USES = [
    "any((kept := each) is not None for each in [made])",
    "rows = [(kept := each) for each in (here, made)]",
    "rows = [[kept := each for each in row] for row in [[made]]]",
    "table = {key: (kept := made) for key in 'ab'}",
]


@pytest.mark.parametrize("use", USES)
def test_the_name_lives_on_behind_the_comprehension(use: str) -> None:
    assert clashes(PROGRAM.format(made="torch.zeros(4)", use=use)) == ["17: device", "18: device"]
    assert clashes(PROGRAM.format(made="here * 2", use=use)) == []


@pytest.mark.parametrize(
    "use",
    [
        "rows = [kept := each for each in [made] if 'x' in sys.argv]",
        "rows = {key: (kept := made) for key in 'ab' if 'x' in sys.argv}",
        "rows = [kept := each for row in [[made]] if 'x' in sys.argv for each in row]",
    ],
)
def test_the_name_may_be_what_it_was_where_each_round_may_be_left_out(use: str) -> None:
    assert clashes(PROGRAM.format(made="torch.zeros(4)", use=use)) == []


def test_the_name_of_a_loop_in_a_comprehension_does_not() -> None:
    use = "rows = [kept for kept in [made]]"
    assert clashes(PROGRAM.format(made="torch.zeros(4)", use=use)) == []
