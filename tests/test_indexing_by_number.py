"""An index that is one number is read wherever it is; a list of them has to be where the data is."""

from __future__ import annotations

import pytest
from text_program import clashes

RANKING = """
import torch

device = torch.device("cuda")
taken = torch.zeros(5)
cost = torch.randn(5, 3, device=device).norm(2, 1).squeeze()
_, order = cost.sort(0)
best = 0
{use}
"""


@pytest.mark.parametrize(
    "use", ["print(taken[order[best]])", "taken[order[0]] = 1", "taken[order[best - 1]] += 1"]
)
def test_one_item_of_an_order(use: str) -> None:
    assert clashes(RANKING.format(use=use)) == []


@pytest.mark.parametrize("use", ["print(taken[order])", "taken[order] = 1", "print(taken[order[:2]])"])
def test_the_order_itself(use: str) -> None:
    assert clashes(RANKING.format(use=use)) == ["9: device"]
