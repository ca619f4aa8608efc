"""Tests that ask an object for its state, after which it makes itself ready: elsewhere it was made ready before."""

from __future__ import annotations

import pytest
from text_program import clashes

SCALE = """
import torch
from torch import nn

class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.zeros(1))

    def ready(self):
        return torch.all(self.scale != 0)

    def find(self, x):
        self.scale = x.max(1)[0]

"""


def test_what_was_ready_was_made_ready_before() -> None:
    assert not clashes(
        SCALE
        + """
class Layer:
    def run(self, x):
        if not self.scaler.ready():
            self.scaler.find(x)
        return x / self.scaler.scale

layer = Layer()
layer.scaler = Scale()
layer.run(torch.ones(2, 2, device="cuda"))
"""
    )


@pytest.mark.parametrize("there", ["x.shape[2] > self.table.shape[1]", "self.table.shape[1] < x.shape[2]"])
def test_a_table_that_is_long_enough_was_made_before(there: str) -> None:
    assert not clashes(f"""
import torch
from torch import nn

class Positions(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.zeros(0, 0)

    def forward(self, x):
        if {there}:
            self.make(x.shape[1], x.shape[2], x)
        return x + self.table[:, : x.shape[2]].repeat(x.shape[0], 1, 1)

    def make(self, channels, length, x):
        self.table = torch.ones(length, channels).transpose(0, 1).to(x)

Positions().to("cuda")(torch.ones(2, 3, 4).to("cuda"))
""")


def test_a_test_of_other_data_has_its_two_outcomes() -> None:
    found = clashes("""
import torch

class Mean:
    def __init__(self):
        self.value = torch.zeros(3)

    def see(self, x):
        self.value = x

def run(batches):
    for x in batches:
        mean = Mean()
        if x.sum() > 0:
            mean.see(x)
        x + mean.value

run([torch.ones(3, device="cuda")])
""")
    assert found == ["16: device"]
