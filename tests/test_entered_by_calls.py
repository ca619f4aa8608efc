"""Context managers that a program enters and leaves by calls, as classes do whose block begins in one method and ends in another."""

from __future__ import annotations

import pytest
from text_program import clashes

BEGIN = """
import contextlib
import torch
from torch import nn

device = torch.device("cuda")
net = nn.Linear(3, 3).to(device)
"""
SCOPE = """
class Scope:
    def __init__(self, device):
        self.chosen = device

    def __enter__(self):
        self.chosen.__enter__()
        return self

    def __exit__(self, *exc):
        return self.chosen.__exit__(*exc)
"""


def test_a_device_that_is_entered_is_where_tensors_are_made() -> None:
    program = f"""{BEGIN}
device.__enter__()
net(torch.ones(3))
device.__exit__(None, None, None)
net(torch.ones(3))
"""
    assert clashes(program) == ["12: device"]


def test_an_object_may_hand_its_block_on_to_a_device() -> None:
    program = f"""{BEGIN}{SCOPE}
with Scope(device) as scope:
    net(torch.rand(2, 3, generator=torch.Generator(device=scope.chosen)))
net(torch.ones(3))
"""
    assert clashes(program) == ["22: device"]


def test_a_precision_may_be_entered_by_a_call() -> None:
    program = f"""{BEGIN}
half = torch.zeros(3, 3, dtype=torch.half, device=device)
precision = torch.autocast("cuda")
precision.__enter__()
net(half)
precision.__exit__(None, None, None)
net(half)
"""
    assert clashes(program) == ["14: dtype"]


@pytest.mark.parametrize("left", ["stack.close()", "stack.__exit__(None, None, None)"])
def test_a_stack_keeps_what_it_entered_until_it_is_left(left: str) -> None:
    program = f"""{BEGIN}
stack = contextlib.ExitStack()
stack.enter_context(device)
net(torch.ones(3))
{left}
net(torch.ones(3))
"""
    assert clashes(program) == ["13: device"]


def test_a_stack_that_is_entered_by_a_call_is_left_by_one() -> None:
    program = f"""{BEGIN}
stack = contextlib.ExitStack()
stack.__enter__()
stack.enter_context(device)
net(torch.ones(3))
stack.__exit__(None, None, None)
net(torch.ones(3))
"""
    assert clashes(program) == ["14: device"]
