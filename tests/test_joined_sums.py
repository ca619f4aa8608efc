"""Sums that begin with 0 and are joined: what is stacked or concatenated is a tensor, whether or not anything was added."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from text_program import clashes, fix_texts

from devfix.findings import Applicability

GATHERING = """
import torch

net = torch.nn.Linear(1, 1).cuda()
rows = torch.ones(4, 1){rows}

def gather(n):
    sums = []
    for i in range(n):
        total = {begin}
        for k in range(3):
            if i + k < len(rows):
                total {adds} 0.9 * rows[i + k]
        sums.append(total)
    return sums

x = {joined}
print(net(torch.ones(4, 1).cuda()) - x)
"""
JOINED = [
    "torch.stack(gather(4))",
    "torch.cat(tuple(gather(4)))",
    "torch.stack([gather(4)[0]])",
    "torch.stack(list(zip(*[(each, 1) for each in gather(4)]))[0])",
]


def _text(joined: str, *, begin: str = "0", adds: str = "+=", rows: str = "") -> str:
    return GATHERING.format(joined=joined, begin=begin, adds=adds, rows=rows)


@pytest.mark.parametrize("begin", ["0", "0.0", "None"])
@pytest.mark.parametrize("joined", JOINED)
def test_what_is_joined_is_what_was_added_up(joined: str, begin: str) -> None:
    adds = "=" if begin == "None" else "+="
    assert clashes(_text(joined, begin=begin, adds=adds)) == ["18: device"]
    assert not clashes(_text(joined, begin=begin, adds=adds, rows=".cuda()"))
    assert not clashes(_text(f"{joined}.cuda()", begin=begin, adds=adds))


def test_what_was_added_up_moves_where_it_is_joined() -> None:
    text = _text("torch.stack(gather(4)).view(4, 1)")
    after = fix_texts({"main.py": text}, Applicability.SAFE)[0]["main.py"]
    assert after != text
    assert not clashes(after)


def test_what_is_made_of_numbers_says_nothing() -> None:
    assert not clashes(_text("torch.tensor([float(each) for each in gather(4)]).cuda()"))


@pytest.mark.parametrize("number", [0, 0.0, None])
def test_no_number_is_joined(number: Any) -> None:
    with pytest.raises(TypeError):
        torch.stack([number, torch.ones(1)])
    with pytest.raises(TypeError):
        torch.cat([torch.ones(1), number])
