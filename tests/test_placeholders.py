"""Placeholders: a tensor that a signature gives where there is none says nothing of the tensors that are given."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import torch
from torch import nn

class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.key = nn.Linear(3, 3)

    def forward(self, x, cache=%s):
        k = self.key(x)
        if cache%s.size(0) > 0:
            k = torch.cat([cache%s, k])
        return k

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = Attention()

    def forward(self, x):
        return self.attention(x)
"""
SCRIPT = """
block = Block().cuda()
print(block(torch.ones(2, 3).cuda()))
"""


@pytest.mark.parametrize("script", ["", SCRIPT])
@pytest.mark.parametrize(
    ("default", "item"),
    [
        ("torch.zeros((0, 0))", ""),
        ("torch.ones(0, 3)", ""),
        ("torch.empty([0])", ""),
        ("torch.tensor([])", ""),
        ("torch.tensor(0)", ""),
        ("(torch.zeros((0, 0)), torch.zeros((0, 0)))", "[0]"),
    ],
)
def test_a_tensor_without_elements_stands_for_none(default: str, item: str, script: str) -> None:
    assert not clashes(PROGRAM % (default, item, item) + script)


@pytest.mark.parametrize(
    ("default", "item"),
    [
        ("torch.zeros((1, 3))", ""),
        ("torch.tensor([0.0, 0.0, 0.0])", ""),
        ("torch.ones(2, 3)", ""),
        ("(torch.zeros((0, 0)), torch.zeros((1, 3)))", "[1]"),
    ],
)
def test_a_tensor_with_elements_is_what_it_is(default: str, item: str) -> None:
    assert clashes(PROGRAM % (default, item, item) + SCRIPT)


def test_what_is_given_is_no_placeholder() -> None:
    text = PROGRAM % ("torch.zeros((0, 0))", "", "") + SCRIPT
    assert clashes(text.replace("self.attention(x)", "self.attention(x, torch.zeros((2, 3)))"))


MADE = """
import torch

def joined(x, kept):
    if kept.{asked} > 0:
        return torch.cat([kept, x], dim=1)
    return x

print(joined(torch.ones(1, 2, 3).cuda(), torch.{made}))
"""


@pytest.mark.parametrize("asked", ["size(0)", "size(2)", "shape[1]", "numel()", "size()[0]"])
@pytest.mark.parametrize("made", ["zeros(0, 0, 0)", "empty((0, 0, 0))", "ones(0, 0, 0)"])
def test_a_tensor_of_no_size_has_none_in_any_dimension(asked: str, made: str) -> None:
    assert not clashes(MADE.format(asked=asked, made=made))


@pytest.mark.parametrize("made", ["zeros(1, 0, 3)", "empty((1, 2, 3))", "tensor([[[0.0]]])"])
def test_a_tensor_of_some_size_may_have_some_in_any_dimension(made: str) -> None:
    assert clashes(MADE.format(asked="size(0)", made=made))
