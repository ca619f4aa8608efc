"""Attributes by computed names: what moves all of an object's tensors moves each of them."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

HELPER = """
import torch

class Codes:
    def __init__(self):
        self.a, self.b, self.c = torch.rand(3), torch.rand(3), torch.rand(3)
        self.d, self.e, self.n = torch.rand(3), torch.rand(3), 3
        self.names = {names}

    def to(self, device):
        {move}
        return self

x = torch.rand(3).cuda()
codes = Codes()
print({before}x + 1)
codes.to("cuda")
print(x + codes.a, x + codes.e)
"""

LOOP = """for name, value in {items}:
            if isinstance(value, torch.Tensor):
                {store}"""

MOVES = [
    LOOP.format(items="list(vars(self).items())", store="setattr(self, name, value.to(device))"),
    LOOP.format(items="self.__dict__.items()", store="self.__dict__[name] = value.to(device)"),
    LOOP.format(items="vars(self).items()", store="vars(self)[name] = value.to(device)"),
    "for name in ('a', 'b', 'c', 'd', 'e'):\n            setattr(self, name, getattr(self, name).to(device))",
    "for name in self.names:\n            setattr(self, name, getattr(self, name).to(device))",
    "self.__dict__.update({k: v.to(device) for k, v in vars(self).items() if hasattr(v, 'to')})",
]


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("names", ["list('abcde')", "('a', 'b', 'c', 'd', 'e')"])
def test_all_attributes_move(move: str, names: str) -> None:
    assert clashes(HELPER.format(move=move, names=names, before="")) == []


def test_without_the_move_they_clash() -> None:
    text = HELPER.format(move="pass", names="()", before="x + codes.b, ")
    assert len(clashes(text)) == 3


def test_only_what_is_named_moves() -> None:
    move = "for name in ('a',):\n            setattr(self, name, getattr(self, name).to(device))"
    assert len(clashes(HELPER.format(move=move, names="()", before=""))) == 1


def test_which_function_a_single_dispatch_picks_is_not_known() -> None:
    text = """
    import torch
    from functools import singledispatch

    @singledispatch
    def place(thing): return thing

    @place.register
    def _(thing: torch.Tensor): return thing.cuda()

    print(place(torch.rand(3)) + torch.rand(3).cuda())
    """
    assert clashes(text) == []


OPTIONS = """
import argparse
import torch


class Run:
    def __init__(self, config):
        self.__dict__.update({defaults}**config)
        self.model = torch.nn.Linear(3, 3).to(self.device)

    def step(self):
        return self.model(torch.rand(3))


parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda")
Run(vars(parser.parse_args())).step()
"""


@pytest.mark.parametrize("defaults", ["", "{}, "])
def test_options_become_attributes(defaults: str) -> None:
    assert len(clashes(OPTIONS.format(defaults=defaults))) == 1
    assert clashes(OPTIONS.format(defaults=defaults).replace("rand(3)", "rand(3, device=self.device)")) == []


CHOSEN = """
import argparse
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __getitem__(self, index):
        return np.float32(np.zeros(3)), 1


class Columns(Rows): pass
class Cells(Rows): pass
class Lines(Rows): pass


parser = argparse.ArgumentParser()
parser.add_argument("--data", default="none")
data = parser.parse_args().data
if data == "rows":
    data = Rows()
elif data == "columns":
    data = Columns()
elif data == "cells":
    data = Cells()
elif data == "lines":
    data = Lines()
model = torch.nn.Linear(3, 3).cuda()
for rows, _ in DataLoader(dataset=data):
    model(rows{move})
"""


def test_a_name_that_was_replaced_by_one_of_many_data_sets_is_none() -> None:
    assert len(clashes(CHOSEN.format(move=""))) == 1
    assert clashes(CHOSEN.format(move=".cuda()")) == []


BLOCKS = """
import sys
import torch
from torch import nn

class Numbered:
    def __init__(self, module, prefix):
        self.module, self.prefix = module, prefix

    def __getitem__(self, number):
        return getattr(self.module, NAME)

class Net(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.count = count
        for number in range(count):
            self.add_module("hop_{}".format(number), nn.Linear(3, 3))
        self.hops = Numbered(self, "hop_")

    def forward(self, x):
        for number in range(self.count):
            x = self.hops[number](x)
        return x

net = Net(int(sys.argv[1])).cuda()
net(torch.ones(2, 3).cuda())
"""


@pytest.mark.parametrize(
    "name", ["self.prefix + str(number)", "self.prefix + str(number) + ''", 'f"{self.prefix}{number}"']
)
def test_a_part_may_be_asked_for_by_a_name_that_begins_as_a_variable_says(name: str) -> None:
    text = BLOCKS.replace("NAME", name)
    assert clashes(text) == []
    assert clashes(text.replace("3).cuda())", "3))")) == ["23: device"]


def test_a_name_of_which_nothing_is_known_stands_for_no_part() -> None:
    text = BLOCKS.replace("NAME", "self.prefix % number").replace("3).cuda())", "3))")
    assert clashes(text) == []


def test_a_number_that_is_called_as_the_parts_are_is_none_of_them() -> None:
    text = BLOCKS.replace("NAME", '"hop_" + str(number)').replace("self.count", "self.hop_count")
    text = text.replace("int(sys.argv[1])", "settings.hops").replace("import sys", "import settings")
    assert clashes(text) == []
    assert clashes(text.replace("3).cuda())", "3))")) == ["23: device"]


STATES = """
import torch
from torch import nn

class Cell(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size
        self.mix = nn.Linear(2 * size, size)

    def forward(self, x, state):
        return self.mix(torch.cat([x, state], dim=1))

    def begin(self, count):
        return torch.zeros(count, self.size)

class Net(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.depth = len(sizes)
        for level, size in enumerate(sizes):
            name = NAME
            setattr(self, name, Cell(size))

    def forward(self, x):
        for level in range(self.depth):
            name = NAME
            cell = getattr(self, name)
            x = cell(x, cell.begin(len(x)))
        return x

net = Net([3] * int(input())).cuda()
net(torch.ones(2, 3).cuda())
"""
LEVELS = ["'cell{}'.format(level)", "'cell%d' % level", "f'cell{level}'", "'cell' + str(level)"]


@pytest.mark.parametrize("name", LEVELS)
def test_a_part_may_be_asked_for_by_a_name_that_was_put_together_before(name: str) -> None:
    text = STATES.replace("NAME", name)
    assert set(clashes(text)) == {"12: device"}
    after = fix_texts({"net.py": text}, Applicability.SAFE)[0]["net.py"]
    assert "torch.zeros(count, self.size, device=" in after
    assert not clashes(after)


@pytest.mark.parametrize("name", LEVELS)
def test_a_part_that_is_right_is_left_alone(name: str) -> None:
    text = STATES.replace("NAME", name)
    assert not clashes(
        text.replace("self.size)\n\nclass", "self.size, device=self.mix.weight.device)\n\nclass")
    )


@pytest.mark.parametrize("name", ["'{}'.format(level)", "'{}_{{}}'.format(level)", "'%d' % level"])
def test_of_a_name_whose_ends_nobody_knows_no_part_is_meant(name: str) -> None:
    assert not clashes(STATES.replace("NAME", name))
