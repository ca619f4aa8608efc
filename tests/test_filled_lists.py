"""Lists made as ``[x] * n`` and filled entry by entry, where some rounds leave their entry alone."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

FILLED = """
import torch

def found(x):
    out = [torch.zeros(0, 4)] * x.shape[0]
    for i, row in enumerate(x):
        {skip}
        out[i] = row
    return out

boxes = found(torch.rand(5, 3, 4).cuda())
print(torch.cat([box * 2 for box in boxes]))
"""


@pytest.mark.parametrize(
    ("skip", "found"),
    [
        ("if not row.shape[0]: continue", ["12: device"]),
        ("if row.sum() < 0.5 * row.numel():\n            continue", ["13: device"]),
        ("pass", []),
        ("if verbose: continue", []),
    ],
)
def test_entries_that_no_round_replaced(skip: str, found: list[str]) -> None:
    assert clashes(FILLED.format(skip=skip)) == found


def test_it_is_the_entries_that_move() -> None:
    text = FILLED.format(skip="if not row.shape[0]: continue")
    text = text.replace("boxes =", "device = torch.device('cuda')\nboxes =").replace(".cuda()", ".to(device)")
    after, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert "torch.cat([(box * 2).to(device) for box in boxes])" in after["main.py"]


def test_one_of_several_lists_may_hold_what_nobody_knows() -> None:
    text = """
import argparse
import torch
from torch import nn
from layers import Unheard

parser = argparse.ArgumentParser()
parser.add_argument("--kind", default="lstm")
args = parser.parse_args()

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        if args.kind == "lstm":
            self.parts = [nn.Linear(3, 3) for _ in range(4)]
        elif args.kind == "other":
            self.parts = [Unheard(3) for _ in range(4)]
        self.parts = list(self.parts)
    def forward(self, x):
        for part in self.parts:
            x = part(x)
        return x

Net().cuda()(torch.rand(2, 3).cuda())
"""
    assert set(clashes(text)) == {"21: device"}
    assert clashes(text.replace("list(self.parts)", "nn.ModuleList(self.parts)")) == []


UNROLLED = """
import torch
from torch import nn

class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 3)

    def forward(self, state, steps):
        states = [{made}] * steps
        states[0] = state
        for step in range(steps - 1):
            states[step + 1] = self.inner(states[step])
        return torch.stack(states[1:])

device = torch.device("cuda")
cell = Cell().to(device)
state = torch.zeros(2, 3{where})
print(cell(state, int(input())))
"""


def test_what_takes_an_empty_place_is_what_is_read() -> None:
    text = UNROLLED.format(made="torch.empty(0)", where="")
    after, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert after["main.py"] == UNROLLED.format(made="torch.empty(0)", where=", device=device")


def test_empty_places_that_are_filled_need_no_device() -> None:
    assert clashes(UNROLLED.format(made="torch.empty(0)", where=", device=device")) == []
