"""Lightning moves batches itself, unless hooks of the module or of the data module do."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import lightning as L
import torch
from dataclasses import dataclass
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

{kind}
class Bag:
    {fields}
    {mover}

def bagged(rows):
    xs, ys = zip(*rows)
    return {collated}

class Data(L.LightningDataModule):
    def train_dataloader(self):
        return loader

    {of_data}

class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.last = nn.Linear(3, 3)
        self.register_buffer("mean", torch.zeros(3))
        self.fixed = torch.zeros(3)

    {of_net}

    def training_step(self, batch, batch_idx):
        {step}

loader = DataLoader(TensorDataset(torch.zeros(8, 3), torch.zeros(8, 3)), collate_fn=bagged)
L.Trainer({options}).fit(Net(), {given})
"""
_INIT = "def __init__(self, x, y):\n        self.x, self.y = x, y"
_TO = "def to(self, device):\n        self.x, self.y = self.x.to(device), self.y.to(device)\n        return self"
_HALF = "def to(self, device):\n        self.x = self.x.to(device)\n        return self"


def _clashes(**changes: str) -> list[str]:
    known = {
        "kind": "",
        "fields": _INIT,
        "mover": "pass",
        "collated": "torch.stack(xs), torch.stack(ys)",
        "of_data": "pass",
        "of_net": "pass",
        "step": "return (self.last(batch[0]) - batch[1]).sum()",
        "options": "",
        "given": "Data()",
    }
    return clashes(PROGRAM.format(**(known | changes)))


_BAGS = {
    "collated": "Bag(torch.stack(xs), torch.stack(ys))",
    "step": "return (self.last(batch.x) - batch.y).sum()",
}


@pytest.mark.parametrize("mover", ["pass", _HALF, "def cuda(self):\n        pass"])
def test_an_object_that_does_not_move_itself_stays(mover: str) -> None:
    assert _clashes(mover=mover, **_BAGS)


@pytest.mark.parametrize(
    "changes",
    [
        {"mover": _TO},
        {"mover": _TO.replace("\n        return self", "")},
        {"kind": "@dataclass", "fields": "x: torch.Tensor\n    y: torch.Tensor"},
        {"mover": "def __getattr__(self, name):\n        return getattr(self.x, name)"},
        {"options": 'accelerator="cpu"'},
    ],
)
def test_an_object_that_can_be_moved_is_there(changes: dict[str, str]) -> None:
    assert _clashes(**_BAGS, **changes) == []


_TRANSFER = "def transfer_batch_to_device(self, batch, device, dataloader_idx):\n        {}return batch"
_BOTH = "batch.x, batch.y = batch.x.to(device), batch.y.to(device)\n        "


@pytest.mark.parametrize("owner", ["of_data", "of_net"])
def test_a_hook_moves_in_place_of_the_trainer(owner: str) -> None:
    assert _clashes(**_BAGS, **{owner: _TRANSFER.format(_BOTH)}) == []
    assert _clashes(**_BAGS, **{owner: _TRANSFER.format(_BOTH.replace("batch.y.to(device)", "batch.y"))})


def test_a_hook_may_let_lightning_move() -> None:
    asks = "def transfer_batch_to_device(self, batch, device, dataloader_idx):\n        return super().{}"
    asks = asks.format("transfer_batch_to_device(batch, device, dataloader_idx)")
    assert _clashes(of_net=asks) == []
    assert _clashes(of_net=asks, step="return (self.last(batch[0]) - self.fixed).sum()")
    assert _clashes(of_net=asks, step="return (self.last(batch[0]) - self.mean).sum()") == []


_CENTRED = "def {}(self, batch, dataloader_idx):\n        x, y = batch\n        return x - {}, y"


@pytest.mark.parametrize(
    ("owner", "hook", "subtracted", "is_right"),
    [
        ("of_net", "on_after_batch_transfer", "self.mean", True),
        ("of_net", "on_before_batch_transfer", "self.mean", False),
        ("of_net", "on_after_batch_transfer", "self.fixed", False),
        ("of_net", "on_before_batch_transfer", "self.fixed", True),
        ("of_net", "on_after_batch_transfer", "torch.zeros(3)", False),
        ("of_data", "on_after_batch_transfer", "torch.zeros(3)", False),
        ("of_data", "on_before_batch_transfer", "torch.zeros(3)", True),
        ("of_data", "on_after_batch_transfer", "torch.zeros(3, device=x.device)", True),
    ],
)
def test_hooks_see_a_batch_before_and_after_it_is_moved(
    owner: str, hook: str, subtracted: str, is_right: bool
) -> None:
    assert (_clashes(**{owner: _CENTRED.format(hook, subtracted)}) == []) is is_right


def test_the_hook_of_the_data_module_counts() -> None:
    of_net = _CENTRED.format("on_after_batch_transfer", "0").replace("x - 0", "x.cpu()")
    of_data = _CENTRED.format("on_after_batch_transfer", "0")
    assert _clashes(of_net=of_net)
    assert _clashes(of_net=of_net, of_data=of_data) == []
    assert _clashes(of_net=of_net, of_data=of_data, given="loader")
