"""Layers of the project that read their own weight: the model that holds them is what was not moved."""

from __future__ import annotations

import pytest
from text_program import fix_texts

HEAD = """\
import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Standardised(nn.Conv2d):
    def forward(self, x):
        w = self.weight
        w = (w - w.mean()) / w.std()
        return F.conv2d(x, w, self.bias)


class Masked(nn.Linear):
    def __init__(self, i, o):
        super().__init__(i, o)
        self.register_buffer("mask", torch.ones(o, i).tril())

    def forward(self, x):
        return F.linear(x, self.mask * self.weight, self.bias)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = Standardised(1, 3, 1)
        self.layers = nn.Sequential(Masked(3, 3), Masked(3, 2))

    def forward(self, x):
        return self.layers(self.conv(x).mean((2, 3)))


"""
USE = "x = torch.rand(2, 1, 4, 4).to(device)\nprint(net(x))\n"


@pytest.mark.parametrize(
    "made", ["net = Net()", "net = nn.Sequential(Net(), nn.ReLU())", "net = Standardised(1, 3, 1)"]
)
def test_the_model_moves_and_not_its_layers(made: str) -> None:
    fixed, _ = fix_texts({"main.py": f"{HEAD}{made}\n{USE}"})
    assert fixed["main.py"] == f"{HEAD}{made}.to(device)\n{USE}"


def test_a_layer_that_joins_a_moved_model_moves_itself() -> None:
    late = "net = Net().to(device)\nnet.conv = Standardised(1, 3, 1)\n"
    fixed, _ = fix_texts({"main.py": HEAD + late + USE})
    assert "net.conv = Standardised(1, 3, 1).to(device)\n" in fixed["main.py"]
