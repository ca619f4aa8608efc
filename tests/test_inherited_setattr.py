"""``super().__setattr__(name, value)``: what an object is given by the method of its base."""

from __future__ import annotations

import pytest
from text_program import clashes

BATCH = """
import dataclasses
import torch
from torch import nn

@dataclasses.dataclass
class Batch:
    state: torch.Tensor
    reward: torch.Tensor

    def to(self, device):
        for field in dataclasses.fields(self.__class__):
            {given}
        return self

device = torch.device("cuda")
net = nn.Linear(3, 3).to(device)
batch = Batch(torch.ones(3), torch.ones(3)).to(device)
net(batch.state)
"""


@pytest.mark.parametrize("setter", ["super().__setattr__(", "setattr(self, ", "object.__setattr__(self, "])
def test_each_field_is_moved(setter: str) -> None:
    assert not clashes(BATCH.format(given=f"{setter}field.name, getattr(self, field.name).to(device))"))


def test_a_field_of_another_name_is_left_where_it_is() -> None:
    assert clashes(BATCH.format(given="super().__setattr__('reward', self.reward.to(device))")) == [
        "19: device"
    ]
