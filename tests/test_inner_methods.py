"""A layer of the project that has torch's inner method for itself is not judged as torch's layer."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import torch
from torch import nn

class Conv(nn.Conv1d):
    {method}

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = Conv(2, 2, 3)

    def forward(self, x):
        return self.conv(x)

net = Net().cuda()
net(torch.ones(1, 2, 8{other}))
"""
CASTING = (
    "def _conv_forward(self, x, weight, bias):\n"
    "        return super()._conv_forward(x, weight.to(x.dtype), bias.to(x.dtype))"
)


@pytest.mark.parametrize("other", [', device="cuda", dtype=torch.float16', ', device="cuda"'])
def test_a_layer_that_casts_its_weight_takes_any_input(other: str) -> None:
    assert clashes(PROGRAM.format(method=CASTING, other=other)) == []


@pytest.mark.parametrize(
    ("other", "kind"), [(', device="cuda", dtype=torch.float16', "dtype"), ("", "device")]
)
def test_a_layer_that_does_not_is_torch_s(other: str, kind: str) -> None:
    assert clashes(PROGRAM.format(method="pass", other=other)) == [f"14: {kind}"]
