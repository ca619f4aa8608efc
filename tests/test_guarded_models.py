"""Models that were forgotten where a guard moves the data: where it is not fulfilled, all stays on the CPU."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import fix_texts

PROGRAM = """
import argparse
import torch
from torch import nn, optim

parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true")
args = parser.parse_args()
args.cuda = not args.no_cuda and torch.cuda.is_available()

x, y = torch.ones(2, 3), torch.zeros(2, 3)
net = nn.Linear(3, 3)
optimizer = optim.Adam(net.parameters())
{guard}
nn.MSELoss()(net(x), y).backward()
optimizer.step()
"""
MOVES = """
if args.cuda:
    x = x.cuda()
    y = y.cuda()
"""


def mended(guard: str) -> list[str]:
    """The lines that the repair adds, and the first one of the guard's body that they follow."""
    text = PROGRAM.format(guard=dedent(guard).strip())
    after = fix_texts({"main.py": text})[0]["main.py"].splitlines()
    return [line for line in after if line not in text.splitlines()]


@pytest.mark.parametrize(
    "guard",
    [
        MOVES,
        MOVES + "    print('on the accelerator')\n",
        "if args.cuda:\n    x = x.cuda()\ny = y.cuda()\n",
    ],
)
def test_a_model_moves_with_the_data_under_their_guard(guard: str) -> None:
    assert mended(guard) == ["    net.cuda()"]


@pytest.mark.parametrize(
    "guard",
    [
        "x, y = x.cuda(), y.cuda()",
        MOVES + "    scale = 3\n",
        MOVES + "else:\n    print('slow')\n",
    ],
)
def test_what_is_no_guard_of_moves_takes_no_model_along(guard: str) -> None:
    assert "    net.cuda()" not in mended(guard)


def test_a_guard_that_moves_the_model_already_is_left_alone() -> None:
    assert mended(MOVES + "    net.cuda()\n") == []
