"""Objects that decorate functions, and functions that are bound to objects by hand."""

from __future__ import annotations

import pytest
from text_program import clashes

HEAD = """
import functools, sys
from contextlib import ContextDecorator
import torch
from torch import nn

device = torch.device("cuda")
x = torch.ones(2, device=device)
net = nn.Linear(2, 2).to(device)

"""
PROGRAMS = {
    "registry": """
class Registry:
    held = {}

    def __init__(self, name):
        self.name = name

    def __call__(self, function):
        self.held[self.name] = function
        return function

@Registry("shift")
def shift(t):
    return t + MADE

Registry.held["shift"](x)
""",
    "wrapper": """
class Scaled:
    def __init__(self, by):
        self.by = by

    def __call__(self, function):
        @functools.wraps(function)
        def inner(*args):
            return function(*args) * self.by
        return inner

@Scaled(MADE)
def double(t):
    return t * 2

double(x)
""",
    "manager": """
class scaled(ContextDecorator):
    by = None

    def __enter__(self):
        scaled.by = MADE
        return self

    def __exit__(self, *exception):
        scaled.by = x

@scaled()
def use(t):
    return t * scaled.by

use(x) + scaled.by
""",
    "bound by hand": """
def forward(self, x):
    return x @ self.weight + MADE

net.forward = forward.__get__(net, nn.Linear)
net(x)
""",
    "taken from a method": """
class Shift:
    def by(self, t):
        return t + MADE

shift = Shift()
shift.by.__func__(shift, x)
""",
    "a static method": """
class Shift:
    @staticmethod
    def by(t):
        return t + MADE

    table = {"by": by}

Shift.table["by"].__func__(x)
""",
    "its own module": """
TABLE = MADE

def find(name):
    return getattr(sys.modules[__name__], name)

find("TABLE") + x
""",
}


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_what_they_do_is_known(text: str) -> None:
    found = [each.partition(": ")[2] for each in clashes(HEAD + text.replace("MADE", "torch.ones(2)"))]
    assert found == ["device"]
    assert clashes(HEAD + text.replace("MADE", "torch.ones(2, device=device)")) == []


def test_a_function_of_a_class_is_itself() -> None:
    text = "def shift(t):\n    return t + torch.ones(2)\n\nshift.__get__(None, nn.Linear)(x)"
    assert len(clashes(HEAD + text)) == 1
