"""What a module notes of its device before it moves becomes a property, where all that goes by it is left behind."""

from __future__ import annotations

import pytest
from text_program import fix_texts

PROGRAM = """
import torch
from torch import nn

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.kind = "net"
        self.device = torch.device("cpu")

    def frozen(self):
        return self


class Net(Base):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        return self.layer(x)


def started(net, n):
    return net(torch.randn(n, 4).to(net.device)) + net(torch.zeros(n, 4, device=net.device))


net = Net()
net.to(DEVICE)
print(started(net, 3))
"""
NOTE = '        self.device = torch.device("cpu")\n'
PROPERTY = """
    @property
    def device(self):
        return next(self.parameters()).device
"""


@pytest.mark.parametrize("written", [NOTE, '        self.device = "cpu"\n'])
def test_a_note_becomes_a_property(written: str) -> None:
    text = PROGRAM.replace(NOTE, written)
    assert _fixed(text) == text.replace(written, PROPERTY)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "net.to(DEVICE)\n",
            "net.to(DEVICE)\nseen = torch.zeros(2, device=net.device)\nprint(seen.numpy())\n",
        ),
        ("net.to(DEVICE)\n", "net.to(DEVICE)\nother = Net()\nother.device = torch.device('cpu')\n"),
        ("nn.Linear(4, 4)\n", "nn.Linear(4, 4)\n        self.first = torch.zeros(1, device=self.device)\n"),
        ("torch.zeros(n", "torch.randn(n"),
        ("net = Net()\n", "net = Net()\nsetattr(net, 'kind', 'other')\n"),
        ("(nn.Module)", "(nn.Module, Kept)"),
    ],
    ids=["stays on the CPU", "set elsewhere", "asked before", "drawn there", "set by name", "of two classes"],
)
def test_a_note_that_is_used_otherwise_stays(old: str, new: str) -> None:
    text = PROGRAM.replace(old, new).replace("class Base", "class Kept:\n    pass\n\n\nclass Base")
    after = _fixed(text)
    assert NOTE in after
    assert "@property" not in after
    assert after != text


def _fixed(text: str) -> str:
    return fix_texts({"main.py": text})[0]["main.py"]
