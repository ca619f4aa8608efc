"""What the constructor of a whole gives to a part of it moves with the part, once that registers its attribute."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

PART = "self.weights = torch.ones(3)"
REGISTERED = 'self.register_buffer("weights", torch.ones(3), persistent=False)'
WALK = """
import torch
from torch import nn


class Step(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.weights = torch.ones(3)

    def forward(self, x):
        return self.linear(x) * self.weights


class Walk(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = Step()
        self.begin()

    def begin(self):
        self.step.weights = torch.ones(3) / 3

    def forward(self, x):
        y = self.step(x)
        self.step.weights = torch.softmax(y.sum(0), 0)
        return y


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
walk = Walk().to(device)
for _ in range(2):
    print(walk(torch.ones(2, 3).to(device)).sum().item())
"""
BEGIN = """        self.begin()

    def begin(self):
"""
GIVEN = "self.step.weights = torch.ones(3) / 3"


def fixed(text: str) -> str:
    return fix_texts({"main.py": text})[0]["main.py"]


@pytest.mark.parametrize("between", [BEGIN, ""], ids=["by-a-method", "by-itself"])
@pytest.mark.parametrize("given", [GIVEN, "step = self.step\n        step.weights = torch.zeros(3)"])
def test_the_part_registers_what_its_whole_replaces(between: str, given: str) -> None:
    text = WALK.replace(BEGIN, between).replace(GIVEN, given)
    after = fixed(text)
    assert after == text.replace(PART, REGISTERED)
    assert clashes(after) == []
    assert fixed(after) == after


@pytest.mark.parametrize("other", ["[1.0, 2.0, 3.0]", "3"])
def test_what_the_whole_replaces_by_something_else_is_no_buffer(other: str) -> None:
    text = WALK.replace(
        "    def begin", f"    def end(self):\n        self.step.weights = {other}\n\n    def begin"
    )
    after = fixed(text)
    assert "register_buffer" not in after
    assert clashes(after) == []


def test_what_is_replaced_once_the_whole_has_moved_is_made_there() -> None:
    text = WALK.replace("        self.begin()\n", "", 1).replace(
        "for _ in", "walk.to(device)\nwalk.begin()\nfor _ in"
    )
    after = fixed(text)
    assert "register_buffer" not in after
    assert "torch.ones(3, device=" in after


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (PART, REGISTERED),
        (PART, 'self.register_buffer("weights", None, persistent=False)'),
        (
            "walk = Walk().to(device)",
            "walk = Walk().to(device)\nwalk.step.weights = torch.ones(3, device=device)",
        ),
    ],
)
def test_what_moves_or_is_replaced_there_stays_as_it_is(old: str, new: str) -> None:
    text = WALK.replace(old, new, 1)
    assert fixed(text) == text
