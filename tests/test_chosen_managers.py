"""Context managers that are one of several, as the installed release has them: each may choose a precision."""

from __future__ import annotations

import pytest
from text_program import clashes

BEGIN = """
import torch
from functools import partial
from torch import nn

net = nn.Linear(3, 3).cuda()
half = torch.zeros(3, 3, dtype=torch.half, device="cuda")
"""
OF_RELEASES = """
if torch.__version__.startswith("2"):
    choose = partial({first}, device_type="cuda")
else:
    choose = {second}
"""


def _program(first: str, second: str) -> str:
    return f"""{BEGIN}
{OF_RELEASES.format(first=first, second=second)}

@choose(enabled=True)
def run():
    return net(half)

def other():
    with choose(enabled=True):
        return net(half)

run()
other()
net(half)
"""


def test_a_block_or_a_function_may_be_of_another_precision() -> None:
    assert clashes(_program("torch.autocast", "torch.cuda.amp.autocast")) == ["26: dtype"]


@pytest.mark.parametrize("other", ["torch.profiler.profile", "torch.set_grad_enabled"])
def test_managers_of_which_none_chooses_one_change_nothing(other: str) -> None:
    assert len(clashes(_program("torch.profiler.record_function", other))) == 3


GIVEN = """
import sys
from contextlib import closing, contextmanager, nullcontext
import torch

@contextmanager
def scaled(value):
    yield value

context = {first} if len(sys.argv) > 1 else {second}
with context as used:
    torch.ones(3, device="cuda") * used
"""
MANAGERS = ["scaled({})", "nullcontext({})", "closing({})"]
HOST, THERE = "torch.ones(3)", "torch.ones(3, device='cuda')"


@pytest.mark.parametrize("first", MANAGERS)
@pytest.mark.parametrize("second", MANAGERS)
def test_what_either_of_two_managers_gives_is_what_the_body_gets(first: str, second: str) -> None:
    found = {
        (one, other): len(clashes(GIVEN.format(first=first.format(one), second=second.format(other))))
        for one in (HOST, THERE)
        for other in (HOST, THERE)
    }
    assert found == {(HOST, HOST): 1, (THERE, THERE): 0, (HOST, THERE): 0, (THERE, HOST): 0}
