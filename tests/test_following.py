"""An input that goes where another one is says nothing of where that is, so the module moves as the other one does."""

from __future__ import annotations

from text_program import fix_texts

FLOW = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 3)
        self.second = nn.Linear(1, 3)

    def forward(self, x, t):
        return self.first(x) + self.second(t)


net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for x in torch.ones(2, 4, 3):
    x = x.cuda()
    t = torch.rand(4, 1).to({device})
    net(x, t).sum().backward()
"""


def _fixed(text: str) -> str:
    return fix_texts({"main.py": text})[0]["main.py"]


def test_an_input_that_goes_where_another_one_is_has_no_say() -> None:
    text = FLOW.format(device="x.device")
    assert _fixed(text) == text.replace("net = Net()\n", "net = Net()\nnet.cuda()\n")


def test_an_input_that_goes_to_a_device_with_a_name_has_one() -> None:
    text = FLOW.format(device="place").replace("net = Net()", 'place = torch.device("cuda")\nnet = Net()')
    assert "net.cuda()" not in _fixed(text)
    assert "net = Net().to(place)" in _fixed(text)
