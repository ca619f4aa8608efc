"""What several calls of a program that is given its device need there moves once, where it got its name."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

from devfix.findings import Applicability

PROGRAM = """
    import torch
    from torch import nn
    from data import load


    class Net(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(width, 1))

        def forward(self, x):
            return nn.functional.dropout(x, 0.1) @ self.weight


    def main():
        x, name = load()
        net = Net(x.size(1))
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for epoch in range(3):
            loss = net(x).sum() / len(x)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        {after}


    main()
"""
DATA = """
    import torch


    def load():
        g = torch.Generator().manual_seed(0)
        x = 0.4 * torch.ones(3, 2) + torch.randn(3, 2, generator=g)
        return x, "x"
"""
ONCE = "x = x.to(device)"
EACH = "net(x.to(device))"


def adopted(after: str) -> str:
    before = files(PROGRAM.format(after=after), data=DATA)
    return fix_texts(before, Applicability.UNSAFE, adopt=True)[0]["main.py"]


def test_it_moves_once_for_all_calls() -> None:
    after = adopted("print(net(x).mean(), x.shape)")
    assert after.count(ONCE) == 1
    assert EACH not in after


@pytest.mark.parametrize("read", ["print(name)", "print(net(x).mean(), x.numpy())", "x = load()[0]"])
def test_one_that_is_read_once_or_otherwise_moves_where_it_is_given(read: str) -> None:
    assert ONCE not in adopted(read)
