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
