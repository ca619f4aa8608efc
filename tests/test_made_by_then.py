"""An attribute that another method makes is asked for its device only where that method was called before."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

TWO = """
import torch
from torch import nn

class Config:
    def __init__(self):
        self.size = 4

    def set_up_training(self):
        {first}
        self.net = nn.Linear(self.size, 2)
        {more}

    def set_up_testing(self):
        self.test_net = nn.Linear(self.size, 2)
        self.loss = nn.MSELoss()
        self.test_net.cuda()

    def train(self, x):
        return self.net(x.cuda()).sum().backward()

    def test(self, x):
        return self.test_net(x.cuda()).sum().item()

config = Config()
{calls}
"""


_TRAINING = "config.set_up_training()\nconfig.train(torch.ones(2, 4))"


def fixed(more: str = "pass", calls: str = _TRAINING, first: str = "pass") -> str:
    texts = {"main.py": TWO.format(first=first, more=more, calls=calls), "test.py": _OTHER}
    after, _ = fix_texts(texts)
    assert clashes(after["main.py"]) == []
    return after["main.py"]


_OTHER = "import torch\nfrom main import Config\nconfig = Config()\nconfig.set_up_testing()\nprint(config.test(torch.ones(2, 4)))\n"


def test_what_another_way_makes_is_not_asked() -> None:
    assert "next(self.test_net.parameters())" not in fixed()


@pytest.mark.parametrize(("first", "more"), [("pass", "print(self.loss)"), ("self.set_up_testing()", "pass")])
def test_what_the_same_way_makes_is(first: str, more: str) -> None:
    calls = f"config.set_up_testing()\n{_TRAINING}"
    assert "next(self.test_net.parameters()).device" in fixed(more, calls, first)


def test_what_the_same_way_makes_only_later_is_not_asked() -> None:
    """Some other caller may not have made it before."""
    assert "next(self.test_net.parameters())" not in fixed(
        "self.set_up_testing()", f"config.set_up_testing()\n{_TRAINING}"
    )
