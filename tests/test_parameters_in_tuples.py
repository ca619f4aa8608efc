"""Parameters that a module keeps in a tuple as well: they are the same objects, and move with it."""

from __future__ import annotations

import pytest
from text_program import clashes
from torch import nn

CELL = """
import torch
from torch import nn

class Cell(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.rnn = nn.GRU(n, n)
        self.scale = nn.Parameter(torch.ones(n))
        self.register_buffer("mask", torch.ones(n))
        self.kept = ({kept},)

    def forward(self, x):
        out, _ = self.rnn(x)
        return out * self.kept[0]

{script}
"""
_SCRIPT = 'Cell(3).to("cuda")(torch.ones(2, 3, device="cuda"))'


@pytest.mark.parametrize("script", ["", _SCRIPT])
@pytest.mark.parametrize("kept", ["self.scale", "self.rnn.weight_ih_l0"])
def test_they_move_with_the_module(kept: str, script: str) -> None:
    assert clashes(CELL.format(kept=kept, script=script)) == []


@pytest.mark.parametrize("kept", ["self.mask", "torch.ones(n)"])
def test_what_is_no_parameter_stays(kept: str) -> None:
    assert len(clashes(CELL.format(kept=kept, script=_SCRIPT))) == 1


def test_torch_moves_parameters_in_place_and_buffers_not() -> None:
    module = nn.BatchNorm1d(3)
    weight, mean = module.weight, module.running_mean
    module.double()
    assert module.weight is weight
    assert module.running_mean is not mean
