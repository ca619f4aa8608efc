"""By which name a fix asks for the device, where a place has several, or several runs know it."""

from __future__ import annotations

import pytest
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


def test_a_tensor_that_some_call_has_on_the_cpu_names_the_device_once_it_moves_as_well() -> None:
    before = UNUSED_FORWARD.format(made="", moved=".cuda()").replace(
        "        return self.loss(x)\n", "        return self.distance(torch.zeros(3, 3))\n"
    )
    own = "device=next(self.parameters()).device"
    moved = before.replace("torch.zeros(3, 3)", f"torch.zeros(3, 3, {own})")
    assert fixed(before) == moved.replace("torch.eye(3)", "torch.eye(3, device=w.device)")


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


LOOP = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

model = nn.Linear(4, 1)
{moved}
data = DataLoader(TensorDataset(torch.rand(8, 4), torch.rand(8, 1)))


def train(epoch):
    model.train()
    for x, y in data:
        nn.functional.mse_loss(model(x), y).backward()


train(1)
"""


@pytest.mark.parametrize("moved", ["model.cuda()", "if torch.cuda.is_available():\n    model.cuda()"])
def test_a_function_that_uses_a_module_of_the_script_moves_its_batches_to_it(moved: str) -> None:
    before = LOOP.format(moved=moved)
    assert fixed(before) == before.replace(
        "    model.train()\n    for x, y in data:\n",
        "    device = next(model.parameters()).device\n    model.train()\n    for x, y in data:\n"
        "        x, y = x.to(device), y.to(device)\n",
    )


def test_where_the_function_moves_the_module_itself_it_is_asked_behind_that() -> None:
    before = LOOP.format(moved="").replace("    model.train()\n", "    model.cuda()\n")
    after = fixed(before)
    assert "device = next(" not in after
    assert after.index("model.cuda()") < after.index("next(model.parameters()).device")


_MAPPINGS = """
import torch
from torch.utils.data import DataLoader

model = torch.nn.Linear(4, 1)
{moved}
data = DataLoader([{{"x": torch.ones(4), "y": torch.ones(1)}} for _ in range(4)])


def train(epoch):
    {start}
    for batch in data:
        (model(batch["x"]) - batch["y"]).sum().backward()


train(1)
"""
_EACH = "batch = {{k: v.to({}) for k, v in batch.items()}}\n"


def test_a_device_that_is_asked_for_with_each_item_of_each_batch_gets_a_name() -> None:
    after = fixed(_MAPPINGS.format(moved="model.cuda()", start="model.train()"))
    assert "    device = next(model.parameters()).device\n    model.train()\n" in after
    assert _EACH.format("device") in after


def test_it_gets_none_above_what_moves_the_module() -> None:
    after = fixed(_MAPPINGS.format(moved="", start="model.cuda()"))
    assert _EACH.format("next(model.parameters()).device") in after


def test_a_module_that_a_function_does_not_use_tells_it_nothing() -> None:
    text = (
        LOOP.format(moved="model.cuda()")
        + """

def measure(net, x):
    return net(x)


def main():
    print(measure(nn.Linear(4, 1).cuda(), torch.rand(2, 4)))


main()
"""
    )
    before, after = text.partition("def measure")[2], fixed(text).partition("def measure")[2]
    assert after != before
    assert "model" not in after


KEEPER = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Model:
    def __init__(self, module):
        self.module = module
        self.gpu = torch.cuda.is_available()
        if self.gpu:
            self.module.cuda()
        self.optimizer = torch.optim.SGD(module.parameters(), lr=0.1)

    def fit(self, data):
        for x, y in data:
            nn.functional.mse_loss(self.module(x), y).backward()
            self.optimizer.step()


Model(nn.Linear(4, 1)).fit(DataLoader(TensorDataset(torch.rand(8, 4), torch.rand(8, 1))))
"""


def test_an_object_asks_its_module_for_the_device_behind_the_move() -> None:
    assert fixed(KEEPER) == KEEPER.replace(
        "            self.module.cuda()\n",
        "            self.module.cuda()\n        self.device = next(module.parameters()).device\n",
    ).replace(
        "        for x, y in data:\n",
        "        for x, y in data:\n            x, y = x.to(self.device), y.to(self.device)\n",
    )


def test_a_module_that_another_method_moves_is_asked_where_it_is_used() -> None:
    late = KEEPER.replace("        if self.gpu:\n            self.module.cuda()\n", "").replace(
        "    def fit(self, data):\n", "    def fit(self, data):\n        self.module.cuda()\n"
    )
    assert "self.device" not in fixed(late)
    assert "next(self.module.parameters()).device" in fixed(late)
