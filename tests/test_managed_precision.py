"""Managers of the project that hold a precision or a mode of autograd while the body of a ``with`` runs."""

from __future__ import annotations

import pytest
from text_program import clashes

PRECISION = """
import torch
from contextlib import contextmanager
from torch import nn

class Precision:
    def __init__(self, device, dtype=torch.float16, enabled=True):
        self.device, self.dtype, self.enabled = device, dtype, enabled

    @contextmanager
    def __call__(self):
        {body}

class Net(nn.Module):
    def __init__(self, amp):
        super().__init__()
        self.amp, self.first, self.second = amp, nn.Linear(3, 3), nn.Linear(3, 3)

    def forward(self, x):
        with self.amp():
            {inner}
        return self.second(y)

device = torch.device("cuda")
net = Net(Precision(device)).to(device)
print(net(torch.ones(2, 3, device=device)))
"""
HELD = "with torch.autocast(self.device.type, dtype=self.dtype, enabled=self.enabled):\n            yield"
BEFORE = "with torch.autocast('cuda', dtype=torch.float16):\n            pass\n        yield"


@pytest.mark.parametrize("y", ["self.first(x)", "self.first(x) @ self.second.weight"])
def test_what_is_computed_in_the_body_has_its_precision(y: str) -> None:
    assert clashes(PRECISION.format(body=HELD, inner=f"y = {y}")) == ["23: dtype"]
    assert not clashes(PRECISION.format(body=HELD, inner=f"y = ({y}).float()"))
    assert not clashes(PRECISION.format(body=BEFORE, inner=f"y = {y}"))


def test_a_body_that_returns_has_it_too() -> None:
    """What is half there meets the weight of a layer of floats, which autocast casts as well."""
    text = PRECISION.format(body=HELD, inner="return self.second(self.first(x))")
    assert not clashes(text)
    assert clashes(text.replace("print(net(", "net.second(net(")) == ["27: dtype"]


def test_what_follows_the_body_is_as_before() -> None:
    assert not clashes(PRECISION.format(body=HELD, inner="y = x + 1"))


UNHEARD = """
import torch
from somewhere import Policy
from torch import nn

policy, other = Policy(), nn.Linear(3, 3).bfloat16()
held = policy.made
with {manager}:
    print(other(torch.ones(2, 3)))
print(other(torch.ones(2, 3){last}))
"""


@pytest.mark.parametrize("manager", ["held.context()", "held.inner.context(1)"])
def test_a_manager_of_an_object_that_nobody_knows_may_choose_the_precision_of_its_block(manager: str) -> None:
    assert clashes(UNHEARD.format(manager=manager, last="")) == ["10: dtype"]
    assert not clashes(UNHEARD.format(manager=manager, last=".bfloat16()"))


@pytest.mark.parametrize("manager", ["held.context() as found", "open('log')", "torch.no_grad()"])
def test_what_gives_the_program_something_or_is_known_does_not(manager: str) -> None:
    assert clashes(UNHEARD.format(manager=manager, last=".bfloat16()")) == ["9: dtype"]
