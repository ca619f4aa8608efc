"""``self.device`` of a LightningModule that is just being made: it was not moved yet."""

from __future__ import annotations

import pytest
from text_program import check_texts, clashes, fix_texts

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


#: Its net cannot register what it may not be given.
NUMBERS = """
import torch
import pytorch_lightning as pl
from torch import nn

class Net(nn.Module):
    def __init__(self, bias=0):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.bias = bias

    def forward(self, x):
        return self.linear(x) + self.bias

class Model(pl.LightningModule):
    def __init__(self, high):
        super().__init__()
        self.high, self.other = high, Net()
        self.build()

    def build(self):
        bias = torch.from_numpy(self.high)
        self.net = Net(bias)

    def training_step(self, batch, batch_idx):
        x, y = batch
        return nn.functional.mse_loss(self.net(x), y)

pl.Trainer(accelerator="gpu").fit(Model([1.0]), [])
"""


BY_ANOTHER = NUMBERS.replace("self.build()", "self.prepare()\n\n    def prepare(self):\n        self.build()")


@pytest.mark.parametrize("text", [NUMBERS, BY_ANOTHER])
def test_nothing_moves_to_it_where_the_module_was_not_moved_yet(text: str) -> None:
    assert clashes(text) != []
    (finding,) = check_texts({"main.py": text})
    assert finding.fix is None
    assert fix_texts({"main.py": text})[0]["main.py"] == text


RESET = """
import torch
import pytorch_lightning as pl
from torch import nn

class Model(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.state = self.fresh()

    def fresh(self):
        return torch.zeros(3), torch.zeros(3)

    def training_step(self, batch, batch_idx):
        self.state = self.fresh()
        return (self.linear(batch) + self.state[0] + self.state[1]).sum()

pl.Trainer(accelerator="gpu").fit(Model(), torch.utils.data.DataLoader(torch.ones(3, 3)))
"""


def test_what_a_step_calls_as_well_is_made_there() -> None:
    moved = RESET.replace("torch.zeros(3)", "torch.zeros(3, device=self.device)")
    assert fix_texts({"main.py": RESET})[0]["main.py"] == moved
