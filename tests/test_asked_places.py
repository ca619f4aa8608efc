"""A model on the CPU is given what is on the CPU, whatever its layers ask their inputs for."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import torch
from torch import nn
from sounds import read

class Spectrum(nn.Module):
    def __init__(self):
        super().__init__()
        self.kernels = torch.ones(4, 4)

    def forward(self, x):
        if {test}:
            self.kernels = self.kernels.cuda()
        return x @ self.kernels

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.spectrum = Spectrum()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        return self.layer(self.spectrum(x))

net = Net(){moved}
net(read("a"){given})
"""
TESTS = ["x.is_cuda", "x.is_cuda and not self.kernels.is_cuda"]


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("moved", ["", ".cuda()"])
def test_what_follows_the_input_fits_the_model(test: str, moved: str) -> None:
    assert not clashes(PROGRAM.format(test=test, moved=moved, given=""))


@pytest.mark.parametrize("test", TESTS)
def test_an_input_that_is_moved_does_not(test: str) -> None:
    assert clashes(PROGRAM.format(test=test, moved="", given=".cuda()")) == ["23: device"]


KEPT_ANSWER = """
import torch
from torch import nn
from elsewhere import place

def begun(on_accelerator):
    start = torch.zeros(3)
    if on_accelerator:
        start = start.cuda()
    return start

first, head = nn.Linear(3, 3), nn.Linear(3, 3)
{moves}
start = begun(next(head.parameters()).is_cuda)
start + first(torch.ones(3{also}))
"""


def test_the_answer_for_what_is_somewhere_is_no_option_where_a_name_keeps_it() -> None:
    assert clashes(KEPT_ANSWER.format(moves="head.to(place())", also="")) == []
    assert clashes(KEPT_ANSWER.format(moves="head.to('cpu')", also="")) == []
    assert clashes(KEPT_ANSWER.format(moves="head.cuda()", also="")) == ["15: device"]
    assert clashes(KEPT_ANSWER.format(moves="head.cuda(); first.cuda()", also=", device='cuda'")) == []
