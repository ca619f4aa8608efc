"""Tensors that are made without elements, to be filled later: what a test of their size tells."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import clashes

RANGE = """
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Range(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("top", {made})

    def update(self, x):
        if {asked} or self.top.data < x.max().data:
            self.top.data = x.max().data
        return x / self.top

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def watch(self):
        self.range = Range()

    def forward(self, x):
        return self.range.update(self.layer(x))

net = Net().to(device)
net.watch()
for _ in range(3):
    net(torch.randn(2, 4, device=device))
"""


@pytest.mark.parametrize(
    "asked",
    [
        "self.top.numel() == 0",
        "self.top.nelement() == 0",
        "not self.top.numel()",
        "len(self.top) == 0",
        "self.top.shape[0] == 0",
        "self.top.size(0) == 0",
    ],
)
def test_it_is_filled_before_it_meets_anything(asked: str) -> None:
    assert clashes(RANGE.format(made="torch.tensor([])", asked=asked)) == []


@pytest.mark.parametrize("made", ["torch.tensor(())", "torch.Tensor()", "torch.FloatTensor([])"])
def test_other_ways_to_make_it(made: str) -> None:
    assert clashes(RANGE.format(made=made, asked="self.top.numel() == 0")) == []


@pytest.mark.parametrize("made", ["torch.tensor([0.0])", "torch.zeros(1)"])
def test_what_has_elements_meets_them_where_it_is(made: str) -> None:
    assert clashes(RANGE.format(made=made, asked="self.top.numel() == 0")) == ["13: device"]


def test_what_was_given_a_size_is_not_empty() -> None:
    program = """
import torch

x = torch.tensor([])
y = x.clone()
before, copied, items, size = x.numel(), y.numel(), len(x), x.shape
x.resize_(3).fill_(1.0)
after = x.numel()
z = torch.tensor([])
z.data = torch.ones(2, 2)
filled, rank = z.numel(), z.ndim
w = torch.cat([torch.tensor([]), torch.ones(3)])
joined = w.numel()
n = torch.tensor([]).sum().numel()
"""
    assert lies(program) == []


def test_what_one_branch_fills_may_have_elements() -> None:
    program = """
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

def shifted(x, scale):
    bias = torch.tensor([])
    if scale > 1:
        bias = torch.ones(4)
    if bias.numel() == 0:
        return x
    return x + bias

print(shifted(torch.ones(4, device=device), float(input())))
"""
    assert clashes(program) == ["12: device"]
