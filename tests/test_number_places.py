"""What gives a number in some runs has no device and no ``to`` there, wherever it stands: a call, an attribute, an item."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

KINDS = """
import torch

class Fixed:
    def __init__(self):
        self.value = 0.1
    def __call__(self):
        return self.value
    def weigh(self):
        return self.value

class Learned:
    def __init__(self):
        self.value = torch.full((3,), 0.1)
    def __call__(self):
        return self.value.exp()
    def weigh(self):
        return self.value.exp()

def scaled(by, x):
    return x * by
"""
AGENT = """
class Agent:
    def __init__(self, weight):
        self.weight = weight
        self.parts = {{"weight": weight.value}}
    def loss(self, x):
        return ({code}).mean()

def stage(weight, device):
    return Agent(weight).loss(torch.ones(3, device=device))

def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    print({stages})

main()
"""
BOTH = "stage(Fixed(), device), stage(Learned(), device)"


@pytest.mark.parametrize(
    "code",
    [
        "self.weight() * x",
        "x - self.weight.weigh()",
        "x / self.weight.value",
        'x + self.parts["weight"]',
        "scaled(self.weight(), x)",
        "x * -self.weight()",
    ],
)
def test_what_is_a_number_elsewhere_is_not_asked_to_move(code: str) -> None:
    text = KINDS + AGENT.format(code=code, stages=BOTH)
    after = fix_texts({"train.py": text}, Applicability.UNSAFE)[0]["train.py"]
    assert ".to(" not in after
    assert "Learned(device=device)" in after
    assert clashes(after) == []


@pytest.mark.parametrize("code", ["self.weight() * x", "x - self.weight.weigh()", "x / self.weight.value"])
def test_what_is_always_a_tensor_moves(code: str) -> None:
    text = KINDS + AGENT.format(code=code, stages="stage(Learned(), device), stage(Learned(), device)")
    after = fix_texts({"train.py": text}, Applicability.UNSAFE)[0]["train.py"]
    assert after != text
    assert clashes(after) == []


def test_a_number_does_not_name_the_device() -> None:
    text = KINDS + AGENT.format(code="x * self.weight() + torch.ones(3)", stages=BOTH)
    after = fix_texts({"train.py": text}, Applicability.UNSAFE)[0]["train.py"]
    assert "weight().device" not in after


PARAMETER = """import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(4, 2).to(device)

def act(state):
    {first}
    {then}
    return net(state)

act(np.ones(4, dtype=np.float32))
act(torch.ones(4, dtype=torch.float32).numpy())
"""


@pytest.mark.parametrize(
    "then",
    ["pass", "state = state.float().cpu()", "if state.dim() == 1: state = state.unsqueeze(0)"],
)
def test_a_parameter_whose_name_is_given_to_a_tensor_is_one_from_there(then: str) -> None:
    text = PARAMETER.format(first="state = torch.from_numpy(state).cpu()", then=then)
    assert ".to(device)" in fix_texts({"main.py": text})[0]["main.py"].split("def act")[1]


def test_a_parameter_whose_name_is_given_to_a_tensor_on_some_ways_stays_as_it_is() -> None:
    first = "if isinstance(state, np.ndarray): state = torch.from_numpy(state).cpu()"
    text = PARAMETER.format(first=first, then="pass") + "print(act(2.0) if False else 1)\nact(3)\n"
    assert "net(state.to(" not in fix_texts({"main.py": text})[0]["main.py"]
