"""Adoption of programs that train tensors of their own, as old ones do with ``Variable``."""

from __future__ import annotations

import pytest
from test_adoption import CHOICE, adopted
from text_program import clashes, files, fix_texts

from devfix.findings import Applicability

WEIGHTS = """
import torch
from torch.autograd import Variable

{weights}
x = torch.ones(4, 3)
for _ in range(3):
    loss = (x @ w).pow(2).sum()
    loss.backward()
    w.data -= 0.1 * w.grad.data
    w.grad.data.zero_()
print(loss.item())
"""


@pytest.mark.parametrize(
    ("weights", "after"),
    [
        (
            "w = Variable(torch.randn(3, 2), requires_grad=True)",
            "w = Variable(torch.randn(3, 2).to(device), requires_grad=True)",
        ),
        (
            "w = Variable(torch.randn(3, 2).type(torch.FloatTensor), requires_grad=True)",
            "w = Variable(torch.randn(3, 2).type(torch.FloatTensor).to(device), requires_grad=True)",
        ),
        (
            "def made(*size):\n    return Variable(torch.randn(*size) * 0.1, requires_grad=True)\n\n\nw = made(3, 2)",
            "    return Variable((torch.randn(*size) * 0.1).to(device), requires_grad=True)",
        ),
    ],
)
def test_a_variable_that_is_trained_is_made_on_the_device(weights: str, after: str) -> None:
    text = adopted(files(WEIGHTS.format(weights=weights)))["main.py"]
    assert f"device = {CHOICE}" in text
    assert after in text
    assert "x = torch.ones(4, 3, device=device)" in text


def test_a_variable_that_is_not_trained_chooses_no_device() -> None:
    text = WEIGHTS.format(weights="w = Variable(torch.randn(3, 2))").replace("loss.backward()", "pass")
    assert adopted(files(text))["main.py"] == files(text)["main.py"]


@pytest.mark.parametrize(
    ("read", "moves"), [("", False), ("print(unread)", True), ("print(globals())", True)]
)
def test_a_variable_that_nothing_asks_for_stays_where_it_is(read: str, moves: bool) -> None:
    made = "unread = torch.rand(2, requires_grad=True)"
    text = files(
        f"{WEIGHTS.format(weights='w = Variable(torch.randn(3, 2), requires_grad=True)')}\n{made}\n{read}\n"
    )
    after = adopted(text)["main.py"]
    assert "is_available" in after
    assert (f"{made}\n" in after) is not moves


def test_a_variable_is_a_leaf_until_it_moves() -> None:
    text = """
    import torch
    from torch.autograd import Variable

    kept = Variable(torch.ones(3).cuda(), requires_grad=True)
    moved = Variable(torch.ones(3), requires_grad=True).cuda()
    torch.optim.SGD([kept], lr=0.1)
    torch.optim.SGD([moved], lr=0.1)
    """
    assert clashes(text) == ["8: no-leaf"]


def test_a_default_type_of_the_cpu_chooses_a_dtype_and_no_device() -> None:
    text = """
    import torch

    torch.set_default_tensor_type("torch.DoubleTensor")
    model = torch.nn.Linear(3, 1)
    print(model(torch.Tensor([[1, 2, 3]])).sum().item())
    """
    after = adopted(files(text))["main.py"]
    assert "model = torch.nn.Linear(3, 1).to(device)" in after
    assert "model(torch.Tensor([[1, 2, 3]]).to(device))" in after
    chosen = text.replace("torch.DoubleTensor", "torch.cuda.FloatTensor")
    assert adopted(files(chosen))["main.py"] == files(chosen)["main.py"]


FORWARD = """
import numpy as np
import torch
from sensors import observed


class Policy(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 1)

    def forward(self, seen):
        {test}:
            seen = {made}
        return self.layer(seen)


policy = Policy()
print(policy(observed()).sum().item())
"""


@pytest.mark.parametrize(
    "test",
    [
        "if isinstance(seen, np.ndarray)",
        "if not isinstance(seen, torch.Tensor)",
        "if not torch.is_tensor(seen)",
        "if isinstance(seen, list)",
    ],
)
def test_what_is_made_of_an_input_that_is_no_tensor_yet_is_made_where_the_module_is(test: str) -> None:
    text = FORWARD.format(test=test, made="torch.tensor(seen, dtype=torch.float)")
    after = adopted(files(text))["main.py"]
    made = "torch.tensor(seen, dtype=torch.float, device=device)"
    assert f"            seen = {made}\n" in after
    assert "policy = Policy().to(device)" in after


def test_what_is_made_of_an_input_stays_where_the_author_lets_it_be() -> None:
    text = FORWARD.format(
        test="if not torch.is_tensor(seen)", made="torch.tensor(seen, device=self.layer.weight.device)"
    )
    assert "seen = torch.tensor(seen, device=self.layer.weight.device)\n" in adopted(files(text))["main.py"]


LAYER = """
import torch


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.rand(3, 2, requires_grad=True))

    def forward(self, x):
        return x @ self.weight


layer = Layer()
print(layer(torch.ones(4, 3)).sum().item())
"""


def test_what_a_parameter_is_made_of_is_no_leaf_of_its_own() -> None:
    after = adopted(files(LAYER))["main.py"]
    assert "torch.nn.Parameter(torch.rand(3, 2, requires_grad=True))\n" in after
    assert "layer = Layer().to(device)\n" in after


def test_a_parameter_of_no_module_is_made_on_the_device_once() -> None:
    text = """
    import torch

    weight = torch.nn.Parameter(torch.rand(3, requires_grad=True))
    print((torch.ones(3) * weight).sum().item())
    """
    after = adopted(files(text))["main.py"]
    assert "weight = torch.nn.Parameter(torch.rand(3, requires_grad=True).to(device))\n" in after


SCALED = """
import torch


class Settings:
    gamma = 0.9

    def __init__(self):
        self.scale = 0.5

    def value(self, weight):
        p = torch.sigmoid(weight)
        return (torch.eye(4) - {own} * p).sum() + (torch.eye(4) - p * {own}).sum()


settings = Settings()


def value(weight):
    p = torch.sigmoid(weight)
    return (torch.eye(4) - {other} * p).sum()


weight = torch.nn.Parameter(torch.zeros(4, 4))
loss = value(weight) + settings.value(weight)
loss.backward()
print(loss.item())
"""


@pytest.mark.parametrize("name", ["gamma", "scale"])
def test_the_number_that_scales_a_tensor_has_no_device(name: str) -> None:
    """What is made beside ``settings.gamma * p`` is made where ``p`` is, whoever keeps the number."""
    text = SCALED.format(own=f"self.{name}", other=f"settings.{name}")
    after = adopted(files(text))["main.py"]
    assert after.count("torch.eye(4, device=p.device)") == 3
    assert clashes(after) == []


@pytest.mark.parametrize(
    ("made", "after"),
    [
        ("torch.randn(size) / 10.0", "torch.randn(size).to(device) / 10.0"),
        ("0.1 * torch.ones(size)", "0.1 * torch.ones(size, device=device)"),
        ("torch.ones(size) - torch.ones(size)", "(torch.ones(size) - torch.ones(size)).to(device)"),
    ],
)
def test_what_is_computed_to_be_trained_is_on_the_device_before(made: str, after: str) -> None:
    text = f"""
    import torch


    def weights(count, size):
        found = []
        for _ in range(count):
            vector = {made}
            vector.requires_grad = True
            found.append(vector)
        return found


    first, second = weights(2, 3)
    loss = (torch.ones(4, 3) @ first + second.sum()).sum()
    loss.backward()
    with torch.no_grad():
        first -= 0.1 * first.grad
    print(loss.item())
    """
    found = adopted(files(text))["main.py"]
    assert f"vector = {after}\n" in found
    assert "(torch.ones(4, 3, device=device) @ first" in found


LAYERS = """
import torch
import torch.nn.functional as F

class Linear:
    def __init__(self, inputs, outputs, bias=True):
        self.weight = torch.randn(inputs, outputs) / inputs ** 0.5
        self.bias = torch.zeros(outputs) if bias else None

    def __call__(self, x):
        out = x @ self.weight
        return out if self.bias is None else out + self.bias

    def parameters(self):
        return [self.weight] + ([] if self.bias is None else [self.bias])

class Embedding:
    def __init__(self, count, width):
        self.weight = torch.randn(count, width)

    def __call__(self, index):
        return self.weight[index]

    def parameters(self):
        return [self.weight]

class Chain:
    def __init__(self, layers):
        self.layers = layers

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def parameters(self):
        return [p for layer in self.layers for p in layer.parameters()]

x, y = torch.tensor([1, 2]), torch.tensor([0, 1])
model = Chain([Embedding(5, 4), Linear(4, 4, bias=False), Linear(4, 4), Linear(4, 4), Linear(4, 3)])
for p in model.parameters():
    {trained}
for _ in range(3):
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    for p in model.parameters():
        p.data += -0.1 * p.grad
        p.grad = None
print(loss.item())
"""


@pytest.mark.parametrize("trained", ["p.requires_grad = True", "p.requires_grad_()"])
def test_all_that_a_loop_makes_parameters_of_is_made_on_the_device(trained: str) -> None:
    text = adopted(files(LAYERS.format(trained=trained)))["main.py"]
    assert "(torch.randn(inputs, outputs) / inputs ** 0.5).to(device)" in text
    assert "torch.zeros(outputs, device=device) if bias else None" in text
    assert "torch.randn(count, width).to(device)" in text
    assert "torch.tensor([0, 1], device=device)" in text


def test_behind_a_loop_its_name_stands_for_the_last_tensor() -> None:
    text = """
    import torch

    def moved():
        return torch.ones(2, 2).cuda().t()

    parts = [moved(), torch.ones(2, 2).cuda(), moved(), moved(), moved()]
    layer = torch.nn.Linear(2, 2).cuda()
    for t in parts:
        first = t if len(t) == 3 else None
        print(layer(t))
    print(layer(t), first)
    {numbers} = [torch.ones(2), torch.zeros(2, dtype=torch.float64), torch.rand(2), torch.eye(2)[0], torch.ones(2)]
    for n in {numbers}:
        if n.dtype == torch.float32:
            print(torch.nn.Linear(2, 2)(n))
    """
    assert clashes(text.replace("{numbers}", "numbers")) == []


SALIENCY = """
import torch

def scaled(x):
    return torch.tensor(x) / 2

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(2, 1).to(device)
data = torch.ones(1, 2)
{leaf}
net(x).sum().backward()
print(x.grad.abs().mean().item())
"""


@pytest.mark.parametrize(
    ("leaf", "after"),
    [
        (
            "x = scaled([[1.0, 2.0]]).requires_grad_().to(device)",
            "x = scaled([[1.0, 2.0]]).to(device).requires_grad_()",
        ),
        (
            "x = torch.rand(1, 2).mul(2).requires_grad_(True).to(device)",
            "x = torch.rand(1, 2).mul(2).to(device).requires_grad_(True)",
        ),
        ("x = scaled([[1.0, 2.0]]).to(device).requires_grad_()", ""),
        (
            "x = data.requires_grad_().to(device)",
            "x = data.requires_grad_().to(device).detach().requires_grad_()",
        ),
    ],
)
def test_what_a_call_gives_moves_before_it_becomes_a_leaf(leaf: str, after: str) -> None:
    text = SALIENCY.format(leaf=leaf)
    fixed = fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]
    assert fixed == text.replace(leaf, after or leaf)
