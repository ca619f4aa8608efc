"""A Trainer with ``accelerator="cpu"``: the module stays where it is, and so do its batches."""

from __future__ import annotations

import pytest
from text_program import clashes

TRAINED = """
import pytorch_lightning as pl
import torch
from torch import nn

class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return 3

    def __getitem__(self, index):
        return torch.randn(3)

class Model(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 3)

    def training_step(self, batch, batch_idx):
        return self.net(batch).sum()

    def test_step(self, batch, batch_idx):
        weights = torch.ones(3, device={device})
        return (self.net(batch) * weights + batch).sum()

model, loader = Model(), torch.utils.data.DataLoader(Rows())
pl.Trainer({first}).fit(model, loader)
pl.Trainer({second}).test(model, loader)
"""
_HOST = 'accelerator="cpu"'


@pytest.mark.parametrize(("first", "second"), [(_HOST, _HOST), ("", ""), (_HOST, "")])
def test_the_module_says_where_it_is(first: str, second: str) -> None:
    assert clashes(TRAINED.format(device="self.device", first=first, second=second)) == []


def test_what_is_elsewhere_meets_the_batch_there() -> None:
    assert clashes(TRAINED.format(device='"cuda"', first=_HOST, second=_HOST))
    assert clashes(TRAINED.format(device='"cpu"', first="", second=""))
