"""Modules that were put on the CPU on purpose: their inputs come to them, and nothing is moved over and over."""

from __future__ import annotations

from text_program import fix_texts

HEAD = """
import copy

import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        return self.layer(x)

"""
HOLDER = """
class Average(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net, self.parked = net, copy.deepcopy(net)

    def offload(self):
        self.parked.cpu()

    def forward(self, x):
        return self.parked(x)

net = Net().to("cuda")
average = Average(net)
x = torch.ones(2, 3, device="cuda")
for step in range(2):
    print(net(x), average(x))
    average.offload()
"""
PARKED = """
net = Net().to("cuda")
parked = copy.deepcopy(net)
parked.cpu()
x = torch.ones(2, 3, device="cuda")
print(net(x), parked(x))
"""


def test_a_method_that_serves_modules_on_two_devices_follows_each_of_them() -> None:
    fixed = fix_texts({"main.py": HEAD + HOLDER})[0]["main.py"]
    assert fixed == (HEAD + HOLDER).replace(
        "self.layer(x)", "self.layer(x.to(next(self.layer.parameters()).device))"
    )


def test_a_copy_is_not_moved_over_and_over() -> None:
    fixed = fix_texts({"main.py": HEAD + PARKED})[0]["main.py"]
    assert fixed.count(".to(") <= (HEAD + PARKED).count(".to(") + 1
