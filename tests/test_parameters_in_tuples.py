"""Parameters that a module keeps in a tuple as well: they are the same objects, and move with it."""

from __future__ import annotations

import pytest
from text_program import clashes
from torch import nn

CELL = """
import torch
from torch import nn

class Cell(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.rnn = nn.GRU(n, n)
        self.scale = nn.Parameter(torch.ones(n))
        self.register_buffer("mask", torch.ones(n))
        self.kept = ({kept},)

    def forward(self, x):
        out, _ = self.rnn(x)
        return out * self.kept[0]

{script}
"""
_SCRIPT = 'Cell(3).to("cuda")(torch.ones(2, 3, device="cuda"))'


@pytest.mark.parametrize("script", ["", _SCRIPT])
@pytest.mark.parametrize("kept", ["self.scale", "self.rnn.weight_ih_l0"])
def test_they_move_with_the_module(kept: str, script: str) -> None:
    assert clashes(CELL.format(kept=kept, script=script)) == []


@pytest.mark.parametrize("kept", ["self.mask", "torch.ones(n)"])
def test_what_is_no_parameter_stays(kept: str) -> None:
    assert len(clashes(CELL.format(kept=kept, script=_SCRIPT))) == 1


def test_torch_moves_parameters_in_place_and_buffers_not() -> None:
    module = nn.BatchNorm1d(3)
    weight, mean = module.weight, module.running_mean
    module.double()
    assert module.weight is weight
    assert module.running_mean is not mean


CLOSED = """
from functools import partial
import torch
from torch import nn
from torch.nn import functional as F

class Net(nn.Module):
    def __init__(self, tied=True):
        super().__init__()
        self.table = nn.Embedding(5, 4)
        {begin}

    def forward(self, x):
        return self.last(x)

def main(tied):
    net = Net(tied)
    {move}
    return net(torch.ones(3, 4).cuda())
"""
BEGIN = {
    "a lambda": "weight = self.table.weight; self.last = lambda x: F.linear(x, weight)",
    "a function within": "self.last = closing(self.table.weight)",
    "a list in a lambda": "weights = [self.table.weight]; self.last = lambda x: F.linear(x, weights[0])",
    "one of two": ("self.last = partial(F.linear, weight=self.table.weight) if tied else nn.Linear(4, 5)"),
    "one of two, by a test": (
        "\n        if tied:\n            self.last = partial(F.linear, weight=self.table.weight)"
        "\n        else:\n            self.last = nn.Linear(4, 5)"
    ),
}
CLOSING = """
def closing(weight):
    def last(x):
        return F.linear(x, weight)
    return last
"""


@pytest.mark.parametrize("begin", BEGIN)
def test_what_a_function_closes_over_moves_with_its_module(begin: str) -> None:
    text = CLOSED.format(begin=BEGIN[begin], move="net.cuda()") + CLOSING
    assert clashes(text) == []


@pytest.mark.parametrize("begin", BEGIN)
def test_what_a_function_closes_over_stays_with_its_module(begin: str) -> None:
    text = CLOSED.format(begin=BEGIN[begin], move="print(net)") + CLOSING
    assert {clash.partition(": ")[2] for clash in clashes(text)} == {"device"}


def test_a_copy_that_a_function_closes_over_stays() -> None:
    begin = "weight = self.table.weight.detach().clone(); self.last = lambda x: F.linear(x, weight)"
    assert [clash.partition(": ")[2] for clash in clashes(CLOSED.format(begin=begin, move="net.cuda()"))] == [
        "device"
    ]


@pytest.mark.parametrize("held", ["[net.weight]", "[net.weight, net.bias]", "{0: net.weight}"])
def test_what_a_list_or_dict_holds_moves_with_its_module(held: str) -> None:
    text = f"""
import torch
from torch import nn
from torch.nn import functional as F
net = nn.Linear(4, 5)
other = nn.Parameter(torch.ones(5, 4))
held, others = {held}, [other]
net.cuda()
x = torch.ones(3, 4).cuda()
F.linear(x, held[0])
F.linear(x, others[0])
"""
    assert clashes(text) == ["11: device"]


AGENT = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, support):
        super().__init__()
        self.support = {kept}

class Agent:
    def __init__(self):
        self.support = {made}
        self.net = Net(self.support).to("cuda")

agent = Agent()
agent.support + torch.ones(5, device="cuda")
"""


@pytest.mark.parametrize(
    ("made", "kept", "found"),
    [
        ("nn.Parameter(torch.ones(5))", "support", []),
        ("nn.Parameter(torch.ones(5))", "support.detach()", ["16: device"]),
        ("torch.ones(5)", "support", ["16: device"]),
    ],
)
def test_what_the_object_holds_that_makes_a_module_of_it_moves_with_the_module(
    made: str, kept: str, found: list[str]
) -> None:
    assert clashes(AGENT.format(made=made, kept=kept)) == found
