"""Modules that an object keeps and moves further down: methods that have no device ask them for theirs."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

_AGENT = """
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--gpu", type=int, default=0)
args = parser.parse_args()
use_cuda = torch.cuda.is_available()


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(4, 8)
        self.fc2 = nn.Linear(8, 2)

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x)))


class Agent:
    def __init__(self):
        self.policy = Policy()
        {moved}

    def place(self):
        if use_cuda:
            {placed}

    def value(self, x):
        return self.policy(x)

    def learn(self, x):
        if use_cuda:
            x = x.cuda(args.gpu)
        return self.value(x).mean()

    def act(self, observation):
        x = torch.as_tensor(observation).view(1, 4){near}
        return self.value(x).max(1)[1].item()


agent = Agent()
agent.place()
agent.learn(torch.ones(3, 4)).backward()
agent.act([1.0, 2.0, 3.0, 4.0])
"""


@pytest.mark.parametrize(
    ("moved", "placed"),
    [
        ("pass", "self.policy.cuda(args.gpu)"),
        ("pass", "self.policy = self.policy.cuda(args.gpu)"),
        ("self.policy.cuda(args.gpu)", "torch.cuda.empty_cache()"),
        ("self.policy = self.policy.cuda(args.gpu)", "torch.cuda.empty_cache()"),
    ],
)
def test_a_method_without_a_device_asks_the_module_that_moved_for_its_own(moved: str, placed: str) -> None:
    before = _AGENT.format(moved=moved, placed=placed, near="")
    after = fix_texts({"main.py": before}, Applicability.SAFE)[0]["main.py"]
    near = ".to(next(self.policy.parameters()).device)"
    assert after == _AGENT.format(moved=moved, placed=placed, near=near)


def test_a_module_that_goes_back_to_the_cpu_tells_no_device() -> None:
    before = _AGENT.format(moved="self.policy.cuda()", placed="self.policy = self.policy.cpu()", near="")
    before = before.replace("agent.place()\n", "") + "agent.place()\n"
    after = fix_texts({"main.py": before}, Applicability.SAFE)[0]["main.py"]
    assert ".to(next(self.policy.parameters()).device)" not in after


_EITHER = """
import argparse
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class Narrow(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        return self.layer(x)


class Wide(nn.Module):
    def __init__(self):
        super().__init__()
        self.other = nn.Linear(3, 3)

    def forward(self, x):
        return self.other(x)


class Trainer:
    def __init__(self, args):
        self.loader = DataLoader(TensorDataset(torch.ones(8, 3), torch.ones(8, 3)))
        if args.kind == "narrow":
            self.net = Narrow(){narrow}
        else:
            self.net = Wide()
        {moved}

    def test(self):
        for x, y in self.loader:{near}
            out = self.net(x)
            print(out.cpu() - y)


parser = argparse.ArgumentParser()
parser.add_argument("--kind", choices=["narrow", "wide"], default="narrow")
parser.add_argument("--gpu", type=bool, default=True)
Trainer(parser.parse_args()).test()
"""


def _either(narrow: str, moved: str, near: str = "") -> str:
    return _EITHER.format(narrow=narrow, moved=moved, near=near)


@pytest.mark.parametrize("moved", ["self.net.cuda()", "if args.gpu: self.net.cuda()"])
def test_one_of_several_modules_that_moved_is_asked_for_its_device(moved: str) -> None:
    after = fix_texts({"main.py": _either("", moved)}, Applicability.SAFE)[0]["main.py"]
    near = "\n            x = x.to(next(self.net.parameters()).device)"
    assert after == _either("", moved, near)
    assert not clashes(after)


@pytest.mark.parametrize(
    ("narrow", "moved"),
    [
        ("", "print(self.net)"),
        ("", "self.net.cuda()\n        self.net.cpu()"),
        ("", "self.net.to(args.where)"),
    ],
)
def test_several_modules_of_which_nobody_knows_that_they_moved_tell_nothing(narrow: str, moved: str) -> None:
    before = _either(narrow, moved)
    assert fix_texts({"main.py": before}, Applicability.SAFE)[0]["main.py"] == before


def test_a_module_that_moved_where_the_other_one_did_not_tells_its_own_device_alone() -> None:
    after = fix_texts({"main.py": _either(".cuda()", "print(self.net)")}, Applicability.SAFE)[0]["main.py"]
    assert "x = x.to(" not in after or "x = x.to(next(self.net.parameters()).device)" in after
    for narrow in (True, False):
        chosen = after.replace('if args.kind == "narrow":', f"if {narrow}:")
        assert not clashes(chosen)


def test_a_module_that_a_method_has_made_only_afterwards_tells_no_device_before() -> None:
    text = """
    import torch

    class Trainer:
        net = None

        def setup(self):
            self.net = torch.nn.Linear(3, 3).cuda()

        def run(self):
            {first}
            {second}
            return self.net(x)

    Trainer().run()
    """
    made, setup = "x = torch.ones(2, 3)", "self.setup()"
    after, _ = fix_texts({"main.py": dedent(text).format(first=made, second=setup)}, Applicability.UNSAFE)
    assert made in after["main.py"]
    assert "self.net(x.to(next(self.net.parameters()).device))" in after["main.py"]
    after, _ = fix_texts({"main.py": dedent(text).format(first=setup, second=made)}, Applicability.UNSAFE)
    assert "x = torch.ones(2, 3, device=next(self.net.parameters()).device)" in after["main.py"]
