"""Names that stand for None in some runs: no move is called on them where nobody asks."""

from __future__ import annotations

import pytest
from text_program import clashes, files, fix_texts

KEPT = """
import torch
from torch import nn

class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def begin(self, memory, mask):
        {begin}
        self.memory = memory
        self.mask = mask

    def forward(self, x):
        x = self.fc(x)
        if self.mask is not None:
            x = x.masked_fill(self.mask, 0.0)
        return x + self.memory

net = Attention().cuda()
x = torch.ones(2, 3).cuda()
net.begin(x, mask=make(2))
net(x).sum().backward()
net.begin(x, mask={other})
net(x).sum().backward()
"""
MAKE = "def make(size):\n    import torch\n    return torch.arange(size).unsqueeze(1) < 1\n"


def kept(other: str, begin: str = "pass") -> str:
    """The program, fixed."""
    texts = {"main.py": "from make import make\n" + KEPT.format(other=other, begin=begin), "make.py": MAKE}
    after, _ = fix_texts(texts)
    assert clashes(after["main.py"], make=after["make.py"]) == []
    return after["main.py"]


def test_what_is_none_in_some_calls_is_not_moved_where_it_is_kept() -> None:
    assert "self.mask = mask\n" in kept("None")


def test_what_never_is_none_is() -> None:
    assert "self.mask = mask.to(" in kept("make(2)")


@pytest.mark.parametrize(
    "begin",
    [
        "mask = mask if mask is not None else make(2)",
        "if mask is None:\n            mask = make(2)",
        "if mask is None:\n            return",
        "assert mask is not None",
    ],
)
def test_what_is_no_longer_none_is_moved_as_before(begin: str) -> None:
    assert "self.mask = mask.to(" in kept("None", begin) or "make(2)).to(" in kept("None", begin)


def test_a_state_that_is_none_before_the_loop_is_not_moved_in_it() -> None:
    text = """
    import torch
    from torch import nn

    def begun(h):
        return torch.zeros(1, 2, 3) if h is None else h

    net = nn.GRU(3, 3).cuda()
    h = None
    for x in torch.ones(3, 5, 2, 3).cuda():
        h = begun(h)
        out, h = net(x, h)
    """
    after = fix_texts(files(text))[0]["main.py"]
    assert "h = begun(h)" in after
    assert clashes(after) == []
