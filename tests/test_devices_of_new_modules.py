"""``self.device`` of a LightningModule that is just being made: it was not moved yet."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

MADE = """
import pytorch_lightning as pl
import torch
from torch import nn

class Model(pl.LightningModule):
    def __init__(self):
        super().__init__()
        {first}

    def build(self):
        {keep}

    def training_step(self, batch, batch_idx):
        {step}
        x, y = batch
        if not hasattr(self, "net"):
            self.net = nn.Linear(3, 3).to(self.device)
        return (self.net(x) * self.weight - y).sum()
"""
_PLAIN = "self.weight = torch.ones(3, device=self.device)"
_KEPT = 'self.register_buffer("weight", torch.ones(3, device=self.device), persistent=False)'


def _program(first: str = "self.build()", keep: str = _PLAIN, step: str = "pass") -> str:
    return MADE.format(first=first, keep=keep, step=step)


def test_what_is_made_there_stays_on_the_cpu_unless_it_is_registered() -> None:
    assert clashes(_program()) == ["19: device"]
    assert fix_texts({"main.py": _program()})[0]["main.py"] == _program(keep=_KEPT)


@pytest.mark.parametrize(
    "text",
    [
        _program(keep=_KEPT),
        _program(first="pass", step="self.build()"),
        _program(first="pass", keep=_PLAIN),
    ],
)
def test_what_is_registered_or_made_later_is_where_the_module_is(text: str) -> None:
    assert clashes(text) == []
