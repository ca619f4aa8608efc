"""What a distribution of plain numbers draws is on the CPU: it is moved where it is used, for nothing tells a distribution where to draw."""

from __future__ import annotations

import pytest
import torch
from text_program import check_texts, fix_texts

PROGRAM = """import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.device = device
        self.mean = nn.Linear(3, 3)
        self.noise = torch.distributions.Normal(0, 1)
{given}
    def forward(self, x):
        mean = self.mean(x)
        return mean + self.noise.sample(mean.shape)


print(Net(device).to(device)(torch.rand(2, 3, device=device)).sum().item())
"""
MOVED = """
        self.noise.loc = self.noise.loc.to(device)
        self.noise.scale = self.noise.scale.to(device)
"""
KEPT = """
        self.noise.loc = self.noise.loc
"""


def test_no_distribution_is_told_a_device() -> None:
    with pytest.raises(TypeError):
        torch.distributions.Normal(0, 1, device="cpu")  # type: ignore[call-arg]


@pytest.mark.parametrize("given", ["", KEPT])
def test_what_is_drawn_is_moved(given: str) -> None:
    before = {"main.py": PROGRAM.format(given=given)}
    after = fix_texts(before)[0]
    changed = [line for line in after["main.py"].splitlines() if line not in before["main.py"].splitlines()]
    assert changed == ["        return mean + self.noise.sample(mean.shape).to(self.device)"]
    assert fix_texts(after)[0] == after


def test_parameters_that_are_moved_bring_what_is_drawn_along() -> None:
    assert check_texts({"main.py": PROGRAM.format(given=MOVED)}) == []
