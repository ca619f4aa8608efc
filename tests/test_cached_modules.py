"""Modules that a cached property gets from elsewhere: the object knows the device, what makes them does not."""

from __future__ import annotations

import pytest
from text_program import check_texts, fix_texts

from devfix.findings import Applicability

ZOO = """
from torch import nn

def pretrained(n):
    net = nn.Linear(n, n)
    return net.eval()
"""
TASK = """
from functools import cached_property
import torch
import zoo

class Task:
    def __init__(self, device):
        self.device = torch.device(device)

    @cached_property
    def teacher(self):
        return zoo.pretrained(3){moved}

    def step(self, x):
        return self.teacher(x)

task = Task("cuda" if torch.cuda.is_available() else "cpu")
print(task.step(torch.ones(3, 3).to(task.device)))
"""


@pytest.mark.parametrize("level", [Applicability.SAFE, Applicability.UNSAFE])
def test_the_property_moves_what_it_gives(level: Applicability) -> None:
    texts = {"main.py": TASK.format(moved=""), "zoo.py": ZOO}
    after, _ = fix_texts(texts, level)
    assert after == {"main.py": TASK.format(moved=".to(self.device)"), "zoo.py": ZOO}
    assert not check_texts(after)


#: An object that is on the CPU until it is told otherwise.
PLACED = """
import torch

class Placed:
    def __init__(self):
        self.device = torch.device("cpu")

    def place(self, device):
        self.device = torch.device(device)
        return self
"""
LATER = """
from functools import cached_property
import torch
import zoo
from placed import Placed

class Task(Placed):
    @cached_property
    def teacher(self):
        return zoo.pretrained(3){moved}

    def step(self, x):
        return self.teacher(x)

{use}
"""
ONCE = """
task = Task().place("cuda" if torch.cuda.is_available() else "cpu")
print(task.step(torch.ones(3, 3).to(task.device)))
"""
#: Here the property is asked for while the object is still on the CPU.
EARLY = """
task = Task()
print(sum(p.numel() for p in task.teacher.parameters()))
task.place("cuda" if torch.cuda.is_available() else "cpu")
print(task.step(torch.ones(3, 3).to(task.device)))
"""


def test_a_device_that_the_object_is_told_later_counts_where_the_property_is_read_after_that() -> None:
    texts = {"main.py": LATER.format(moved="", use=ONCE), "zoo.py": ZOO, "placed.py": PLACED}
    after, _ = fix_texts(texts)
    assert after == {**texts, "main.py": LATER.format(moved=".to(self.device)", use=ONCE)}
    assert not check_texts(after)


def test_a_property_that_is_read_before_that_does_not_move_to_a_device_that_is_the_cpu_then() -> None:
    texts = {"main.py": LATER.format(moved="", use=EARLY), "zoo.py": ZOO, "placed.py": PLACED}
    after, _ = fix_texts(texts, Applicability.UNSAFE)
    assert ".to(self.device)" not in after["main.py"]
    assert check_texts(texts)
