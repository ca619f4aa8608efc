"""A ``__setattr__`` of the project: where it puts what an object is given, and what it makes of it."""

from __future__ import annotations

import pytest
from text_program import check_texts, clashes

TRACKING = """
import torch
from torch import nn

class Task:
    def __init__(self):
        object.__setattr__(self, "_tracked", {{}})
        self.device = torch.device("cpu")

    def __setattr__(self, key, value):
        if isinstance(value, nn.Module):
            self._tracked[key] = value
        {set}

    def place(self, device):
        self.device = torch.device(device)
        for module in {placed}:
            module.to(self.device)
        return self

class Distillation(Task):
    def __init__(self):
        super().__init__()
        self.student = nn.Linear(3, 3)

    def step(self, x):
        return self.student(x)

task = Distillation().place("cuda" if torch.cuda.is_available() else "cpu")
print(task.step(torch.ones(2, 3).to(task.device)))
"""
SETS = [
    "object.__setattr__(self, key, value)",
    "super().__setattr__(key, value)",
    "self.__dict__[key] = value",
]


@pytest.mark.parametrize("statement", SETS)
def test_what_it_enters_in_a_table_is_moved_with_the_table(statement: str) -> None:
    text = TRACKING.format(set=statement, placed="self._tracked.values()")
    assert not clashes(text)
    assert not check_texts({"a.py": text})


def test_what_it_enters_stays_where_nothing_moves_the_table() -> None:
    text = TRACKING.format(set=SETS[0], placed="()")
    assert clashes(text) == ["27: device"]


MOVING = """
import torch
from torch import nn

class Placed:
    def __init__(self, device):
        self.device = torch.device(device)

    def __setattr__(self, name, value):
        if {test}:
            value = value.to(self.device)
        super().__setattr__(name, value)

placed = Placed("cuda")
placed.net = nn.Linear(3, 3)
placed.table = torch.ones(2, 3)
{use}
"""
OF_MODULES = "isinstance(value, nn.Module)"
OF_BOTH = "isinstance(value, (nn.Module, torch.Tensor))"


def test_what_it_moves_is_kept_moved() -> None:
    assert not clashes(MOVING.format(test=OF_BOTH, use="placed.net(placed.table)"))
    assert clashes(MOVING.format(test=OF_BOTH, use="placed.net(torch.ones(2, 3))")) == ["17: device"]


def test_what_it_leaves_alone_stays() -> None:
    assert clashes(MOVING.format(test=OF_MODULES, use="placed.net(placed.table)")) == ["17: device"]


def test_a_module_registers_what_its_own_method_hands_on() -> None:
    text = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.names = []
        self.layer = nn.Linear(3, 3)

    def __setattr__(self, name, value):
        if isinstance(value, nn.Linear):
            self.names.append(name)
        super().__setattr__(name, value)

    def forward(self, x):
        return self.layer(x)

Net().to("cuda")(torch.ones(2, 3, device="cuda"))
"""
    assert not clashes(text)
    assert clashes(text.replace("super().__setattr__(name", "object.__setattr__(self, name")) == [
        "17: device"
    ]


def test_what_it_keeps_elsewhere_is_got_from_there() -> None:
    text = """
import torch

class Registry:
    def __init__(self):
        object.__setattr__(self, "held", {})

    def __setattr__(self, key, value):
        self.held["x_" + key] = value{moved}

    def __getattr__(self, key):
        return self.held["x_" + key]

registry = Registry()
registry.weight = torch.ones(2)
print(registry.weight + torch.ones(2, device="cuda"))
"""
    assert clashes(text.replace("{moved}", ".to('cuda')")) == []
    assert [each.partition(": ")[2] for each in clashes(text.replace("{moved}", ""))] == ["device"]
