"""A module that each branch of an ``if`` makes, also in an ``if`` of its own, moves once, behind them all."""

from __future__ import annotations

import pytest
from text_program import fix_texts

HEAD = """import sys
import torch
from torch import nn

kind = sys.argv[1]
"""
TAIL = """
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.ones(4, 3).cuda()
print(net(x))
"""
NESTED = """if kind == "linear":
    net = nn.Linear(3, 2)
elif kind == "deep":
    if len(sys.argv) > 2:
        net = nn.Sequential(nn.Linear(3, 2), nn.ReLU())
    else:
        net = nn.Sequential(nn.Linear(3, 2), nn.Tanh())
"""
TOLD = NESTED.replace("kind == ", "(kind or '') == ")


@pytest.mark.parametrize("choice", [NESTED, TOLD, NESTED + "else:\n    raise ValueError(kind)\n"])
def test_it_moves_behind_the_outermost(choice: str) -> None:
    fixed = fix_texts({"main.py": HEAD + choice + TAIL})[0]["main.py"]
    assert fixed == HEAD + choice + "net.cuda()\n" + TAIL


def test_where_one_branch_leaves_it_out_it_moves_in_each() -> None:
    choice = NESTED.replace("    else:\n        net = nn.Sequential(nn.Linear(3, 2), nn.Tanh())\n", "")
    fixed = fix_texts({"main.py": HEAD + choice + TAIL})[0]["main.py"]
    assert fixed.count(".cuda()") > 2
    assert HEAD + choice + "net.cuda()\n" not in fixed


def test_where_an_outer_branch_calls_it_it_moves_before() -> None:
    choice = NESTED + "    print(net(torch.ones(1, 3).cuda()))\n"
    fixed = fix_texts({"main.py": HEAD + choice + TAIL})[0]["main.py"]
    assert "    net.cuda()\n    print(net(" in fixed
