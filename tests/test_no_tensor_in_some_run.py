"""Expressions that are a tensor in some runs, or hold several: nothing is called on them that only tensors have."""

from __future__ import annotations

import pytest
from test_adoption import adopted
from text_program import check_texts, clashes, files, fix_texts

from devfix.findings import Applicability

PRIORITIES = """
import numpy as np
import torch


class Memory:
    def __init__(self):
        self.kept = []

    def priority(self, error):
        return (np.abs(error) + 0.01) ** 0.6

    def add(self, error):
        self.kept.append(self.priority(error))

    def update(self, index, error):
        self.kept[index] = self.priority(error)


model = torch.nn.Linear(3, 1)
memory = Memory()
for i in range(4):
    error = abs(model(torch.ones(1, 3)).data[0][0] - i)
    memory.add(error)
errors = torch.abs(model(torch.ones(4, 3))[:, 0]).data.numpy()
for i in range(4):
    memory.update(i, {given})
print(sum(memory.kept))
"""


def test_what_a_function_gets_as_an_array_as_well_is_copied_where_the_tensor_gets_its_name() -> None:
    for given in ("errors", "errors[:2]"):
        after = adopted(files(PRIORITIES.format(given=given)))["main.py"]
        assert "np.abs(error) +" in after
        assert "    error = abs(model(torch.ones(1, 3, device=device)).data[0][0] - i).cpu()\n" in after
        assert clashes(after) == []


def test_what_a_function_only_gets_as_a_tensor_is_copied_there() -> None:
    after = adopted(files(PRIORITIES.partition("errors =")[0]))["main.py"]
    assert "np.abs(error.cpu()) +" in after


HALVES = """
import argparse
import torch


def halves(x, w):
    return x * w, x + w


def spread(x, w):
    inside = x > 0
    outputs, rest = torch.zeros_like(x), torch.zeros_like(x)
    outputs[inside], rest[inside] = halves(x[inside], w[inside])
    return outputs + rest


class Flow(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(2, 2)

    def forward(self, x):
        return spread(x, self.net(x))


parser = argparse.ArgumentParser()
parser.add_argument("--mixture", action="store_true")
model = Flow()
if parser.parse_args().mixture:
    x = torch.Tensor([[1.0, 2.0]])
else:
    x = torch.Tensor([[3.0, 4.0]])
print(model(x).sum().item())
"""


def test_what_is_taken_apart_is_not_moved_as_a_whole() -> None:
    """An item of a tuple goes where it is written; the tuple itself has no ``to``."""
    after = adopted({"main.py": HALVES})["main.py"]
    assert "= halves(x[inside], w[inside])\n" in after
    assert after.count(".to(device)") == 3


def test_a_tensor_is_moved_before_it_is_taken_apart() -> None:
    text = """
    import torch

    weight = torch.ones(2, 3, device="cuda")
    pair = torch.load("pair.pt", map_location="cpu", weights_only=True)
    both = torch.ones(2, 3)
    first, second = both
    print((first * weight).sum() + (second * weight).sum())
    """
    after, _ = fix_texts(files(text), Applicability.UNSAFE)
    assert clashes(after["main.py"]) == []


LEVEL = """
import torch

class Actor(torch.nn.Module):
    def __init__(self, bound):
        super().__init__()
        self.layer = torch.nn.Linear(2, 2)
        self.bound = bound

    def forward(self, x):
        return self.layer(x) * self.bound

class Level:
    def __init__(self, bound):
        self.actor = Actor(bound)

    def act(self, state):
        state = torch.FloatTensor(state.reshape(1, -1))
        return self.actor(state).detach().numpy()
"""

LEVELS = """
import gym
import numpy as np
import torch
from level import {cls}

def run():
    bound = {bound}
    bounds = torch.FloatTensor(np.array([0.9, 0.7]))
    for each in [bound, bounds]:
        print({call})

run()
"""


@pytest.mark.parametrize(
    ("cls", "call"),
    [("Level", "Level(each).act(np.ones(2))"), ("Actor", "Actor(each)(torch.ones(1, 2))")],
)
def test_what_is_a_tensor_in_some_objects_moves_where_that_is_made(cls: str, call: str) -> None:
    bound = 'gym.make("Hopper").action_space.high[0]'
    after = adopted(files(LEVELS.format(cls=cls, call=call, bound=bound), level=LEVEL))
    assert "bound.to(" not in after["level.py"]
    assert "np.array([0.9, 0.7])).to(device)" in after["main.py"]


def test_what_all_objects_keep_as_a_tensor_is_a_buffer() -> None:
    bound = "torch.FloatTensor(np.array([0.5, 0.5]))"
    text = LEVELS.format(cls="Level", call="Level(each).act(np.ones(2))", bound=bound)
    after = adopted(files(text, level=LEVEL))
    assert 'register_buffer("bound", bound, persistent=False)' in after["level.py"]
    assert check_texts(after) == []


def test_what_is_asked_for_its_array_is_a_tensor_whatever_else_a_function_is_handed() -> None:
    text = """
import torch
from torch import nn

class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x, lengths):
        return self.fc(x), lengths.numpy()

def infer(net, x, texts):
    lengths = torch.LongTensor([len(text) for text in texts]).cuda()
    return net(x, lengths)

net = Encoder().cuda()
x = torch.ones(1, 2).cuda()
print(infer(net, x, ["a"]))
try:
    print(net(x, 3))
except AttributeError:
    print("no tensor")
"""
    fixed = fix_texts({"main.py": text})[0]["main.py"]
    assert fixed == text.replace("lengths.numpy()", "lengths.cpu().numpy()")
