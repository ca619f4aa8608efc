"""A branch for a kind of device that works in a way of its own is not taken where the accelerator is an ordinary one."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        kept = torch.zeros(*x.shape, device=x.device).masked_fill(x == 0, 1)
        other = {test}
        scores = self.layer(x)
        if not other:
            return scores.masked_fill(kept.to(torch.bool), float("-inf"))
        return scores.masked_fill(kept, float("-inf"))
"""


@pytest.mark.parametrize("test", ['x.device.type == "xla"', 'not (x.device.type != "xla")'])
def test_what_is_done_on_other_kinds_of_devices_is_not_judged(test: str) -> None:
    assert not clashes(PROGRAM.format(test=test))


@pytest.mark.parametrize("test", ['x.device.type == "cuda"', 'x.device.type != "xla"'])
def test_what_is_done_on_this_one_is(test: str) -> None:
    assert clashes(PROGRAM.format(test=test)) == ["16: mask-dtype"]


MIXED = """
import torch
from torch import nn

net = nn.Linear(4, 2).to("{device}")
net(torch.randn(2, 4))
"""


@pytest.mark.parametrize(("device", "found"), [("hpu", []), ("hpu:0", []), ("xpu", ["6: device"])])
def test_what_a_kind_of_device_takes_of_the_host_is_not_judged_by_what_others_do(
    device: str, found: list[str]
) -> None:
    assert clashes(MIXED.format(device=device)) == found
