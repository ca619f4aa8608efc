"""What the first round of a loop puts in the place of a tensor that was made before, no round meets."""

from __future__ import annotations

import pytest
from text_program import clashes

LOOP = """
import torch

def total(xs):
    out = torch.zeros(2)
    for {counted}:
        if {test}:
            out = {filled}
        else:
            out = out + x
    return out

print(total(torch.rand(int(input()), 2).cuda()))
"""
COUNTED = "i, x in enumerate(xs)"


@pytest.mark.parametrize(
    ("counted", "test"),
    [
        (COUNTED, "i == 0"),
        (COUNTED, "not i"),
        (COUNTED, "i % 2 == 0"),
        (COUNTED, "i < 1"),
        ("i, x in enumerate(xs, 1)", "i == 1"),
    ],
)
def test_what_the_first_round_fills_is_met_by_none(counted: str, test: str) -> None:
    assert not clashes(LOOP.format(counted=counted, test=test, filled="x * 2"))


@pytest.mark.parametrize(
    ("counted", "test", "filled"),
    [
        (COUNTED, "i == 1", "x * 2"),
        (COUNTED, "i % 2", "x * 2"),
        (COUNTED, "i == len(xs)", "x * 2"),
        (COUNTED, "i == 0", "out * 2"),
        ("i, x in enumerate(xs, 1)", "i == 0", "x * 2"),
        ("i, x in enumerate(xs, len(xs))", "i == 0", "x * 2"),
        ("i, x in zip(xs, xs)", "i == 0", "x * 2"),
    ],
)
def test_what_a_later_round_fills_is_met_before(counted: str, test: str, filled: str) -> None:
    assert clashes(LOOP.format(counted=counted, test=test, filled=filled)) == ["10: device"]


def test_the_other_branch_may_be_the_first() -> None:
    text = LOOP.format(counted="i in range(len(xs))", test="i > 0", filled="out + xs[i]")
    assert not clashes(text.replace("out = out + x\n", "out = xs[i]\n"))
    assert clashes(text.replace("out = out + x\n", "out = xs[i]\n").replace("i > 0", "i >= 0"))


@pytest.mark.parametrize("counted", [COUNTED, "i in range(len(xs))"])
@pytest.mark.parametrize("again", ["i = i + 2", "i += 2", "for i in (4, 5): pass"])
def test_a_counter_that_the_body_changes_tells_nothing_of_the_round(counted: str, again: str) -> None:
    text = LOOP.format(counted=counted, test="i == 0", filled="xs[0] * 2")
    text = text.replace("out = out + x\n", "out = out + xs[0]\n")
    assert not clashes(text)
    assert clashes(text.replace("        if i == 0:", f"        {again}\n        if i == 0:")) == [
        "11: device"
    ]
