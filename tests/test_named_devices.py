"""By which name a fix asks for the device, where a place has several, or several runs know it."""

from __future__ import annotations

from text_program import fix_texts

from devfix.findings import Applicability

UNUSED_FORWARD = """
import torch
from torch import nn


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 2)

    def score(self, w, c):
        return self.layer(torch.cat([w, c], dim=-1))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = Head()
        self.encode = nn.Linear(5, 3)

    def loss(self, x):
        return self.distance(self.encode(x))

    def distance(self, w):
        c = torch.eye(3){made}
        return self.head.score(w, c).sum()

    def forward(self, x):
        return self.loss(x)


net = Net().cuda()
print(net.loss(torch.randn(3, 5){moved}))
"""


def fixed(text: str) -> str:
    return fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]


def test_a_run_that_nobody_began_leaves_a_tensor_its_device() -> None:
    before = UNUSED_FORWARD.format(made="", moved=".cuda()")
    assert fixed(before) == before.replace("torch.eye(3)", "torch.eye(3, device=w.device)")


def test_what_is_on_one_device_stays_as_it_is() -> None:
    right = UNUSED_FORWARD.format(made=".to(w.device)", moved=".cuda()")
    assert fixed(right) == right


def test_a_tensor_that_some_call_has_on_the_cpu_does_not_name_the_device() -> None:
    before = UNUSED_FORWARD.format(made="", moved=".cuda()").replace(
        "        return self.loss(x)\n", "        return self.distance(torch.zeros(3, 3))\n"
    )
    assert "device=w.device" not in fixed(before)


STARRED = """
from blocks import *


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        layers = [nn.Linear(3, 3), nn.Linear(3, 3)]
        self.layers = layers

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


net = Net().cuda()
print(net(torch.rand(4, 3).cuda()))
"""


def test_torch_nn_goes_by_the_name_that_came_with_a_star() -> None:
    texts = {"main.py": STARRED, "blocks.py": "import torch\nimport torch.nn as nn\n"}
    after, _ = fix_texts(texts, Applicability.UNSAFE)
    assert after["main.py"] == STARRED.replace("self.layers = layers", "self.layers = nn.ModuleList(layers)")
