"""Methods that give a module its parts, and that nobody calls: the module need not have been moved by then."""

from __future__ import annotations

import pytest
from text_program import clashes

BUILT = """
import torch
from torch import nn


class Muscle(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("rate", torch.tensor([0.25]))
        self.weight = nn.Parameter(torch.ones(3))

    def {name}(self, length):
        length = torch.ones(3) * 2
        {keep}
        self.speed = self.{part} * length
        return self.speed
"""


@pytest.mark.parametrize("part", ["rate", "weight"])
@pytest.mark.parametrize(
    "keep",
    [
        'self.register_buffer("length", length)',
        'self.register_parameter("length", nn.Parameter(length))',
        'self.add_module("inner", nn.Linear(3, 3))',
    ],
)
def test_a_module_that_is_being_made_may_be_on_the_cpu(part: str, keep: str) -> None:
    assert clashes(BUILT.format(name="build", part=part, keep=keep)) == []


@pytest.mark.parametrize(
    ("name", "keep"),
    [
        ("build", "self.length = length"),
        ("build", 'torch.nn.Linear(3, 3).register_buffer("length", length)'),
        ("forward", 'self.register_buffer("length", length)'),
    ],
)
def test_one_that_is_used_is_where_it_was_moved(name: str, keep: str) -> None:
    assert len(clashes(BUILT.format(name=name, part="weight", keep=keep))) == 1


def test_what_others_do_with_a_module_is_judged_as_before() -> None:
    other = """
    def scale(self):
        return self.weight * torch.ones(3)
"""
    text = BUILT.format(name="build", part="weight", keep='self.register_buffer("length", length)')
    assert len(clashes(text + other)) == 1
