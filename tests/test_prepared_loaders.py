"""Loaders that Accelerate or Fabric prepared, whichever of several they are: they move their batches themselves."""

from __future__ import annotations

import pytest
from text_program import clashes

SCRIPT = """import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
{owner}

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def forward(self, x):
        return self.layer(x) * torch.ones(1, device=next(self.parameters()).device)

def choose(data, kind):
    if kind == "sample":
        loader = DataLoader(data, batch_size=2)
    elif kind == "frame":
        loader = DataLoader(data, batch_size=4, shuffle=True)
    else:
        raise ValueError(kind)
    return loader

def train(kind):
    loader = choose(TensorDataset(torch.ones(8, 3)), kind)
    model = Net()
    {prepare}
    for (x,) in {used}:
        model(x).sum().backward()

train(sys.argv[1])
"""
ACCELERATE = "from accelerate import Accelerator\naccelerator = Accelerator()"
FABRIC = 'from lightning import Fabric\nfabric = Fabric(accelerator="cuda")'


@pytest.mark.parametrize(
    ("owner", "prepare", "used"),
    [
        (ACCELERATE, "model, loader = accelerator.prepare(model, loader)", "loader"),
        (FABRIC, "model, loader = fabric.setup(model), fabric.setup_dataloaders(loader)", "loader"),
        (
            ACCELERATE,
            "model, loader = accelerator.prepare(model, loader)",
            "accelerator.skip_first_batches(loader, num_batches=1)",
        ),
    ],
)
def test_one_of_several_loaders_is_prepared_like_one(owner: str, prepare: str, used: str) -> None:
    assert clashes(SCRIPT.format(owner=owner, prepare=prepare, used=used)) == []


@pytest.mark.parametrize("used", ["loader", "accelerator.skip_first_batches(loader, num_batches=1)"])
def test_one_that_is_not_prepared_moves_nothing(used: str) -> None:
    prepare = "model = accelerator.prepare(model)"
    assert clashes(SCRIPT.format(owner=ACCELERATE, prepare=prepare, used=used)) == ["15: device"]
