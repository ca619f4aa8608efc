"""Handlers that are found by their names, with ``dir`` and ``inspect.getmembers``: those of plug-ins, rules and commands."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

BUS = """
import copy
import inspect
from collections import defaultdict
import torch
from torch import nn


class Bus:
    def __init__(self):
        self.handlers = defaultdict(list)

    def attach(self, plugin):
        {attach}

    def emit(self, topic, **given):
        for handler in self.handlers[topic]:
            handler(**given)


class Average:
    decay = 0.9

    def __init__(self):
        self.shadow = None

    @property
    def on(self):
        return self.shadow is not None

    def on_built(self, runner):
        self.shadow = copy.deepcopy(runner.net){moved}

    def on_step(self, runner):
        for mine, other in zip(self.shadow.parameters(), runner.net.parameters()):
            mine.data.mul_(self.decay).add_(other.data)


class Runner:
    def __init__(self, device):
        self.device, self.bus = device, Bus()

    def run(self):
        self.net = nn.Linear(3, 3)
        self.bus.emit("{topic}", runner=self)
        self.net.to(self.device)
        self.bus.emit("placed", runner=self)
        self.bus.emit("step", runner=self)


runner = Runner(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
runner.bus.attach(Average())
runner.run()
"""
BY_NAME = """for name in dir(plugin):
            if name.startswith("on_"):
                self.handlers[name[3:]].append(getattr(plugin, name))"""
BY_MEMBER = """for name, member in inspect.getmembers(plugin, inspect.ismethod):
            if name.startswith("on_"):
                self.handlers[name[len("on_"):]].append(member)"""
BY_CLASS = """for name in dir(type(plugin)):
            if name[:3] == "on_":
                self.handlers[name[3:]].append(getattr(plugin, name))"""


@pytest.mark.parametrize("attach", [BY_NAME, BY_MEMBER, BY_CLASS])
def test_a_copy_that_a_handler_takes_before_the_move_is_moved(attach: str) -> None:
    text = BUS.format(attach=attach, topic="built", moved="")
    after, _ = fix_texts({"main.py": text}, Applicability.SAFE)
    right = BUS.format(attach=attach, topic="built", moved=".to(runner.device)")
    assert after["main.py"] == right
    assert not clashes(right)


def test_one_that_is_taken_after_the_move_stays() -> None:
    text = BUS.format(attach=BY_NAME, topic="begun", moved="")
    assert not clashes(text.replace("def on_built", "def on_placed"))


RULES = """
import torch
import rules

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
found = {names}
total = torch.zeros(3, device=device)
for name in found:
    total = total + getattr(rules, name)(3)
"""
MADE = """
import torch

def rule_ones(n):
    return torch.ones(n{device})

def other(n):
    return torch.zeros(n)
"""


def test_the_functions_of_a_file_are_found_by_their_names() -> None:
    names = '[name for name in dir(rules) if name.startswith("rule_")]'
    assert clashes(RULES.format(names=names), rules=MADE.format(device="")) == ["9: device"]
    assert not clashes(RULES.format(names=names), rules=MADE.format(device=', device="cuda"'))


MODEL = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

net = Net().to("cuda")
count = len([name for name in dir(net) if name == "forward"])
x = torch.ones(3, device="cuda" if {test} else "cpu")
torch.ones(3, device="cuda") + x
"""


def test_what_a_base_of_torch_has_is_not_known_to_be_missing() -> None:
    assert not clashes(MODEL.format(test='"register_buffer" in dir(net)'))
