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
