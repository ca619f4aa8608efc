"""What an analysis leaves behind is freed at once: programs are many, and editors ask without a pause."""

from __future__ import annotations

import gc

from text_program import program

from devfix.analysis import analyse

PROGRAM = """
import torch
from torch import nn

class Base(nn.Module):
    def forward(self, x):
        return self.layer(x)

class Net(Base):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.scales = [torch.ones(3) for _ in range(2)]

def train(net, rounds=3):
    for step in range(rounds):
        loss = net(torch.randn(2, 3).cuda()).sum()
        loss.backward()
    return loss

if __name__ == "__main__":
    train(Net().cuda())
"""


def test_analyses_hold_no_cycles() -> None:
    analyse(program(PROGRAM))
    gc.collect()
    gc.disable()
    try:
        analyse(program(PROGRAM))
        assert gc.collect() == 0
    finally:
        gc.enable()
