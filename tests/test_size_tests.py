"""A test of how wide a tensor is tells kinds of tensors apart, and with them what goes beside."""

from __future__ import annotations

import pytest
from text_program import clashes

HEAD = """
import torch
import torch.nn.functional as F

"""
CALLS = """
cost(torch.rand(4, 1), torch.zeros(4))
cost(torch.rand(4, 3), torch.ones(4).long())
"""


def found(test: str, first: str, second: str, rest: str = "    return loss\n") -> list[str]:
    body = f"def cost(guess, target):\n    if {test}:\n        {first}\n    else:\n        {second}\n"
    return clashes(HEAD + body + rest + CALLS)


TWO = "loss = F.binary_cross_entropy(guess.squeeze(1), target)"
MANY = "loss = F.cross_entropy(guess, target)"


@pytest.mark.parametrize(
    "test", ["guess.shape[1] == 1", "guess.shape[-1] < 2", "guess.size(1) == 1", "guess.size(-1) <= 1"]
)
def test_either_branch_is_for_what_goes_with_it(test: str) -> None:
    assert not found(test, TWO, MANY)


@pytest.mark.parametrize("test", ["guess.sum() == 1", "guess.shape[0] == 4", "guess.shape[1] > 7"])
def test_other_tests_tell_no_kinds_apart(test: str) -> None:
    assert found(test, TWO, MANY)


def test_what_no_branch_changes_is_afterwards_what_it_was() -> None:
    assert found("guess.shape[1] == 1", "print(1)", "print(2)", "    return F.cross_entropy(guess, target)\n")


def test_what_is_made_in_the_function_is_known_in_the_branches() -> None:
    made = "F.cross_entropy(guess, torch.zeros(4))"
    assert found("guess.shape[1] == 1", f"loss = {made}", f"loss = 2 * {made}")


def test_the_device_is_known_in_the_branches() -> None:
    body = "def cost(guess, target):\n    if guess.shape[1] == 1:\n        return guess + target\n    else:\n        return guess\n"
    assert clashes(HEAD + body + "cost(torch.rand(4, 1).cuda(), torch.zeros(4, 1))\n")


SOFT = "loss = (guess - target).square().mean()"
HARD = "loss = F.nll_loss(guess, target)"


@pytest.mark.parametrize("test", ["target.size() == guess.size()", "guess.shape == target.shape"])
def test_a_target_as_large_as_the_guess_is_of_another_kind_than_one_that_is_not(test: str) -> None:
    assert not found(test, SOFT, HARD)


@pytest.mark.parametrize(
    "test", ["target.sum() == guess.sum()", "target.shape[0] == guess.shape[0]", "target.dim() != 1"]
)
def test_what_is_not_about_the_whole_size_tells_no_kinds_apart(test: str) -> None:
    assert found(test, SOFT, HARD)
