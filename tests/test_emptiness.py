"""``len(x) == 0`` asks of a collection what ``not x`` does; what the program collected itself is no option."""

from __future__ import annotations

import pytest
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
