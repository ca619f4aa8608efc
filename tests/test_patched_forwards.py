"""Layers whose ``forward`` is replaced at run time, and branches that have nothing to join yet."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import clashes

MASKED = """
import copy, functools, types
import torch
import torch.nn.functional as F
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

def masked(self, x):
    return F.linear(x, self.weight * self.mask, self.bias)

def scores(net, x, y):
    net = copy.deepcopy(net)
    for layer in net.modules():
        if isinstance(layer, nn.Linear):
            layer.mask = nn.Parameter(torch.ones_like(layer.weight))
            layer.forward = {forward}
    loss = F.cross_entropy(net({x}), {y})
    loss.backward()

net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2)).to(device)
scores(net, torch.randn(8, 4), torch.zeros(8, dtype=torch.long))
"""
WAYS = ["types.MethodType(masked, layer)", "functools.partial(masked, layer)"]


@pytest.mark.parametrize("forward", WAYS)
def test_the_replacement_runs_with_its_layer(forward: str) -> None:
    assert clashes(MASKED.format(forward=forward, x="x", y="y.to(device)")) == ["10: device"]
    assert clashes(MASKED.format(forward=forward, x="x.to(device)", y="y")) == ["18: device"]
    assert clashes(MASKED.format(forward=forward, x="x.to(device)", y="y.to(device)")) == []


def test_a_method_of_a_callable() -> None:
    program = """
import functools, types
import torch

class Box:
    size = 3

def made(self, value, dtype=None):
    return torch.full((self.size,), value, dtype=dtype)

box = Box()
box.make = types.MethodType(made, box)
box.whole = types.MethodType(functools.partial(made, dtype=torch.int64), box)
whole, real = box.whole(2), box.make(2.0)
"""
    assert lies(program) == []


STEPS = """
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Net(nn.Module):
    def __init__(self, steps):
        super().__init__()
        self.steps, self.layer = steps, nn.Linear(4, 4)

    def forward(self, x):
        kept = []
        for step in self.steps:
            if step == "layer":
                x = self.layer(x)
                {keep}
            elif step == "join":
                x = {join}
        return x

def main(steps):
    net = Net(steps).to(device)
    out = net(torch.randn(2, 4, device=device))
    return out + {other}

main(input().split())
"""


@pytest.mark.parametrize("join", ["torch.cat(kept, dim=1)", "torch.stack(kept)"])
def test_a_branch_that_has_nothing_to_join_is_not_taken(join: str) -> None:
    program = STEPS.format(keep="pass", join=join, other="torch.ones(4)")
    assert clashes(program) == ["25: device"]


def test_what_was_kept_is_joined() -> None:
    joined = {"keep": "kept.append(x.cpu())", "join": "torch.cat(kept)"}
    assert clashes(STEPS.format(**joined, other="torch.ones(4, device=device)")) == []


def test_what_follows_a_join_of_nothing_is_looked_at() -> None:
    program = """
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
kept = []
joined = torch.cat(kept)
print(torch.ones(2, device=device) + torch.ones(2))
"""
    assert clashes(program) == ["7: device"]
