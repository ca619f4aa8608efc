"""There is one accelerator: what a program does with several of them it does not do."""

from __future__ import annotations

import pytest
from text_program import Ending, clashes

from devfix.analysis.domain.values import Const

PROGRAM = """
import argparse
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.count = count
        self.table = nn.Embedding(4, 4)

    def forward(self, x):
        return self.table(x)

parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=8)
args = parser.parse_args()
count = torch.cuda.device_count()
net = Net({count}).to("cuda")
if net.count > 1:
    net.table = nn.Embedding(4, 4)  # its parts go to as many devices
print(net(torch.ones(2).long().to("cuda")))
"""


@pytest.mark.parametrize("count", ["count", "min(count, 4)", "min(args.size, count, 3)", "max(count, 1)"])
def test_a_part_for_several_devices_is_not_put_in(count: str) -> None:
    assert not clashes(PROGRAM.replace("{count}", count))


@pytest.mark.parametrize("count", ["args.size", "min(args.size, 4)", "max(count, args.size)", "count + 1"])
def test_a_part_that_other_numbers_ask_for_may_be_put_in(count: str) -> None:
    assert clashes(PROGRAM.replace("{count}", count))


@pytest.mark.parametrize("text", ["max(3, 1, 2)", "min(3, 1, 2)", "min(2, 2)", "max([4, 4])"])
def test_the_extremes_of_known_numbers_are_known(text: str) -> None:
    assert Ending(f"found = {text}\n")["found"] == Const(eval(text))


@pytest.mark.parametrize(
    "text", ["min(1, unknown)", "min(1, 0.5)", "min(1, float(unknown))", "min(2, int(unknown))"]
)
def test_a_number_that_may_be_smaller_is_not_known(text: str) -> None:
    assert not isinstance(Ending(f"found = {text}\n")["found"], Const)
