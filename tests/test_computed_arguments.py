"""What a function computes and gives a module moves once where it gets its name, rather than wherever the module uses it."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

PROGRAM = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.device = device
        self.fc = nn.Linear(8, 3)

    def encode(self, t):
        rates = torch.arange(8, device=self.device)
        low = torch.sin(t.repeat(1, 8) * rates)
        high = torch.cos(t.repeat(1, 8) * rates)
        return low + high

    def forward(self, x, t):
        t = t.unsqueeze(-1).float()
        return self.fc(x + self.encode(t))


class Sampler:
    def __init__(self, device):
        self.device = device
        self.betas = torch.linspace(0, 1, 5).to(device)
        self.table = torch.linspace(0, 1, 5)

    def sample(self, model, n):
        x = torch.randn(n, 8).to(self.device)
        for i in reversed(range(1, 5)):
            t = {made}
            x = x - model(x, t).sum() * self.betas[t][:, None]
            {more}
        return x


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(Sampler(device).sample(Net(device).to(device), 3).sum())
"""
MADE = "(torch.ones(n) * i).long()"


def told(more: str = "pass", made: str = MADE) -> list[str]:
    """The lines that are new when nothing is left to fix."""
    before = files(PROGRAM.format(made=made, more=more))
    after, reports = fix_texts(before)
    assert not any(report.findings for report in reports)
    old = before["main.py"].splitlines()
    return [line.strip() for line in after["main.py"].splitlines() if line not in old]


@pytest.mark.parametrize("more", ["pass", "x = x * self.betas[t].mean()"])
def test_it_moves_where_it_gets_its_name(more: str) -> None:
    assert told(more) == [f"t = {MADE}.to(self.device)"]


def test_what_is_there_already_stays() -> None:
    assert told(made=f"{MADE}.to(self.device)") == []


@pytest.mark.parametrize("more", ["print(t.numpy())", "print(self.table[t])", "print(t)"])
def test_what_else_is_done_with_it_may_need_it_where_it_is(more: str) -> None:
    assert not any(line.startswith("t = ") for line in told(more))
