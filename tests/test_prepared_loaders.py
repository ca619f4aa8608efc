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


PREPARED = """
import torch
from accelerate import Accelerator
from lightning.fabric import Fabric
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

net = nn.Linear(3, 3)
loader = DataLoader(TensorDataset(torch.ones(8, 3)), batch_size=2)
owner = {owner}
{prepare}
for (x,) in loader:
    net(x)
"""


@pytest.mark.parametrize(
    ("owner", "prepare", "is_right"),
    [
        ("Accelerator()", "net, loader = owner.prepare(net, loader)", True),
        ("Accelerator()", "net = owner.prepare(net)", False),
        ("Accelerator(cpu=True)", "net = owner.prepare(net)", True),
        (
            "Accelerator(device_placement=False)",
            "net, loader = owner.prepare(net.to(owner.device), loader)",
            False,
        ),
        ("Accelerator(False)", "net, loader = owner.prepare(net, loader)", True),
        (
            "Accelerator()",
            "net, loader = owner.prepare(net, loader, device_placement=[True, False])",
            False,
        ),
        (
            "Accelerator()",
            "net, loader = owner.prepare(net, loader, device_placement=[False, False])",
            True,
        ),
        (
            "Accelerator(device_placement=bool(input()))",
            "net, loader = owner.prepare(net.cuda(), loader)",
            True,
        ),
        (
            "Accelerator()",
            "net, loader = owner.prepare_model(net, True), owner.prepare_data_loader(loader)",
            True,
        ),
        (
            "Accelerator()",
            "net, loader = owner.prepare_model(net), owner.prepare_data_loader(loader, False)",
            False,
        ),
        ("Fabric()", "net, loader = owner.setup(net), owner.setup_dataloaders(loader)", True),
        (
            "Fabric()",
            "net, loader = owner.setup(net), owner.setup_dataloaders(loader, move_to_device=False)",
            False,
        ),
        ("Fabric()", "net = owner.setup(net, move_to_device=False)", True),
        ("Fabric()", "net = owner.to_device(net)", False),
        ("Fabric()", "net, loader = owner.to_device(net), owner.setup_dataloaders(loader)", True),
    ],
)
def test_who_is_told_not_to_move_does_not(owner: str, prepare: str, is_right: bool) -> None:
    assert (clashes(PREPARED.format(owner=owner, prepare=prepare)) == []) is is_right


def test_what_is_gathered_stays_where_it_is() -> None:
    gathered = "net, loader = owner.setup(net), owner.setup_dataloaders(loader)\ngot = owner.all_gather(net.weight)\n"
    text = PREPARED.format(owner="Fabric()", prepare=gathered + "got.detach().cpu().numpy()")
    assert clashes(text) == []
    assert clashes(text.replace(".cpu()", ""))
