"""``len(x) == 0`` asks of a collection what ``not x`` does; what the program collected itself is no option."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import Ending, clashes

from devfix.analysis.domain.values import Const

STATES = """
import torch
import torch.nn as nn


class Tree:
    def __init__(self, children=()):
        self.children = list(children)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def state(self, tree):
        if {test}:
            return torch.zeros(1, 4)
        return self.layer(torch.ones(1, 4).cuda())

    def forward(self, tree):
        return self.layer(self.state(tree))


def main():
    net = Net().cuda()
    print(net({tree}))


main()
"""


@pytest.mark.parametrize(
    "test", ["len(tree.children) == 0", "len(tree.children) < 1", "not len(tree.children) > 0"]
)
def test_of_an_empty_collection_the_branch_is_known(test: str) -> None:
    assert clashes(STATES.format(test=test, tree="Tree()")) == ["22: device"]


def test_of_one_that_is_not_empty_it_is_too() -> None:
    assert clashes(STATES.format(test="len(tree.children) == 0", tree="Tree([Tree()])")) == []


OPTION = """
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--gpu-ids", default="0")
gpu_ids = [int(each) for each in parser.parse_args().gpu_ids.split(",") if int(each) >= 0]
net = torch.nn.Linear(3, 3)
x = torch.ones(2, 3)
if {test}:
    net.cuda()
    x = x.cuda()
print(net(x))
"""


@pytest.mark.parametrize("test", ["len(gpu_ids) > 0", "len(gpu_ids) != 0", "len(gpu_ids) >= 1"])
def test_numbers_of_devices_choose_one_as_before(test: str) -> None:
    assert clashes(OPTION.format(test=test)) == []


@pytest.mark.parametrize(
    ("test", "answer"), [("len(seen) == 0", True), ("len(seen) > 0", False), ("len(kept) >= 1", True)]
)
def test_what_a_test_comes_to(test: str, answer: bool) -> None:
    assert Ending(f"seen, kept = [], [1]\nanswer = {test}\n")["answer"] == Const(answer)


_WALKED = """
import torch
tags = {tags}
made = torch.ones(3)
rounds = 0
for tag in {walked}:
    made, rounds = made.double(), rounds + 1
"""


@pytest.mark.parametrize(
    "walked", ["sorted(tags)", "sorted(tags, key=len)", "sorted(set(tags))", "set(tags)"]
)
def test_what_is_made_of_nothing_has_nothing_to_go_through(walked: str) -> None:
    text = _WALKED.format(tags="frozenset(())", walked=walked)
    assert not lies(text)
    assert Ending(text)["rounds"] == Const(0)


def test_one_item_is_in_order_whatever_it_is_ordered_by() -> None:
    text = _WALKED.format(tags="frozenset(('last',))", walked="sorted(tags, key=len)")
    assert not lies(text)
    assert Ending(text)["tag"] == Const("last")


_TAGGED = """
import inspect
import torch
from torch import nn

class Container:
    def __init__(self, **made):
        self.made, self.recipes, self.hooks = made, {{}}, {{}}
    def provides(self, name, *tags):
        def keep(function):
            self.recipes[name] = (function, frozenset(tags))
            return function
        return keep
    def on(self, tag):
        def keep(function):
            self.hooks[tag] = function
            return function
        return keep
    def __getitem__(self, name):
        if name not in self.made:
            function, tags = self.recipes[name]
            made = function(**{{each: self[each] for each in inspect.signature(function).parameters}})
            for tag in sorted(tags):
                made = self.hooks[tag](made, self)
            self.made[name] = made
        return self.made[name]

held = Container(device=torch.device("cuda"), size=3)

@held.on("moved")
def move(made, container):
    return made.to(container["device"])

@held.provides("model", "moved")
def model(size):
    return nn.Linear(size, 2)

@held.provides("loss"{tag})
def loss(size):
    return nn.CrossEntropyLoss(weight=torch.ones(2))

outputs = held["model"](torch.ones(4, held["size"], device=held["device"]))
held["loss"](outputs, torch.zeros(4, dtype=torch.long, device=held["device"]))
"""


def test_what_has_no_tag_is_not_what_is_done_to_those_that_have_one() -> None:
    assert clashes(_TAGGED.format(tag="")) == ["43: device"]
    assert clashes(_TAGGED.format(tag=", 'moved'")) == []


WINDOWS = """
import collections
import numpy as np
import torch
import torch.nn as nn


def windows(values, size):
    recent = {made}
    for value in values:
{body}

net = nn.Linear(2, 2)
for context in windows([float(text) for text in open("values.txt")], 10):
    print(net(context))
"""
ASKED_FIRST = """\
        if {test}:
            yield torch.tensor([{averages}])
        recent.append(value)
"""
ADDED_FIRST = """\
        if {test}:
            recent.append(value)
            continue
        yield torch.tensor([{averages}])
        recent.append(value)
"""
_FULL = ["len(recent) == size", "len(recent) >= size", "len(recent) > 3", "len(recent) == 10"]
_NOT_FULL = ["len(recent) < size", "len(recent) <= 3", "len(recent) != size"]


@pytest.mark.parametrize(
    ("body", "test"), [*((ASKED_FIRST, test) for test in _FULL), *((ADDED_FIRST, test) for test in _NOT_FULL)]
)
@pytest.mark.parametrize("made", ["collections.deque(maxlen=size)", "[]", "list()"])
def test_a_window_is_used_when_it_is_filled(made: str, body: str, test: str) -> None:
    body = body.format(test=test, averages="np.mean(recent), recent[-1] - recent[0]")
    found = clashes(WINDOWS.format(made=made, body=body))
    assert [clash.partition(": ")[2] for clash in found] == ["dtype"]


@pytest.mark.parametrize("averages", ["float(np.mean(recent)), recent[-1]", "recent[-1], recent[0]"])
@pytest.mark.parametrize("made", ["collections.deque(maxlen=size)", "[]"])
def test_a_window_of_numbers_of_python_stays(made: str, averages: str) -> None:
    body = ASKED_FIRST.format(test="len(recent) == size", averages=averages)
    assert clashes(WINDOWS.format(made=made, body=body)) == []


@pytest.mark.parametrize("test", ["len(recent) == limit", "len(other) == size"])
def test_what_else_is_asked_of_a_length_is_not_known(test: str) -> None:
    text = f"import sys\nlimit, size, other = int(sys.argv[1]), 3, list(sys.argv)\nrecent = []\nfor value in sys.argv:\n    told = {test}\n    recent.append(value)\n"
    told = Ending(text)["told"]
    assert not isinstance(told, Const)


def test_a_window_that_fills_elsewhere_is_not_known_to_be_empty() -> None:
    text = """
import torch
net, recent = torch.nn.Linear(2, 2).cuda(), []
def note(value):
    recent.append(value)
for value in torch.rand(9, 2):
    if len(recent) >= 2:
        net(value)
    note(value)
"""
    assert clashes(text) == ["8: device"]
