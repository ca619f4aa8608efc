"""What a method does with its own object as a whole tells where that is when it is called."""

from __future__ import annotations

import pytest
from text_program import clashes

NET = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.layer = nn.Linear(n, n)
        self.n = n

    def forward(self, x):
        return self.layer(x)

    def check(self, device="cpu"):
        x = torch.rand(1, self.n)
        {first}
        {second}
"""
MOVES = ["self.to(torch.device(device))", "self.cuda()", "self.to('cuda')"]


@pytest.mark.parametrize("move", [*MOVES, "self.cpu()"])
def test_before_a_method_moves_its_module_nobody_knows_where_that_is(move: str) -> None:
    assert clashes(NET.format(first="y = self(x)", second=move)) == []


@pytest.mark.parametrize("move", MOVES)
def test_once_it_has_moved_the_module_that_is_there(move: str) -> None:
    assert clashes(NET.format(first=move, second="y = self(x)")) == ["12: device"]


@pytest.mark.parametrize("other", ["x.to(device)", "self.layer.weight.sum().cpu()", "print(self.n)"])
def test_a_method_that_moves_something_else_is_called_where_its_module_is(other: str) -> None:
    assert clashes(NET.format(first=other, second="y = self(x)")) == ["12: device"]


def test_a_method_that_copies_its_module_to_the_cpu_is_judged_by_the_copy_alone() -> None:
    assert clashes(NET.format(first="y = self.cpu()(x)", second="return y")) == []
