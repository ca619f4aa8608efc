"""How many dimensions a tensor has decides a test of that, however the program asks."""

from __future__ import annotations

import pytest
import torch
from text_program import clashes

ONE_HOT = """
import torch

def one_hot(target, prediction):
    if target.{asked} == prediction.{asked} - 1:
        return prediction.new(2, 100).zero_().scatter_(0, target.view(1, -1), 1)
    return target

target = torch.zeros(*({sizes}))
one_hot(target, torch.zeros(2, 10, 10)[None, ...])
"""


@pytest.mark.parametrize("asked", ["dim()", "ndimension()", "ndim"])
@pytest.mark.parametrize(("sizes", "found"), [("2, 2, 10, 10", 0), ("2, 10, 10", 1)])
def test_a_branch_is_taken_by_the_number_of_dimensions(asked: str, sizes: str, found: int) -> None:
    assert len(clashes(ONE_HOT.format(asked=asked, sizes=sizes))) == found


@pytest.mark.parametrize("asked", ["dim", "ndimension"])
def test_torch_says_what_ndim_says(asked: str) -> None:
    assert getattr(torch.zeros(2, 3), asked)() == torch.zeros(2, 3).ndim
