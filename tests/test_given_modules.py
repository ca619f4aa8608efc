"""What a function makes and a call hands to an object at once moves in that call, where it names a device."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

PARTS = """
from torch import nn


def build(width, frozen=False):
    net = nn.Sequential(nn.Linear(4, width), nn.ReLU(), nn.Linear(width, 2))
    for weight in net.parameters() if frozen else ():
        weight.requires_grad_(False)
    return net


class Compared:
    def __init__(self, scale, guide):
        self.scale = scale
        self.guide = guide

    def loss(self, out, x):
        return self.scale * (self.guide(x) - out).pow(2).mean()


def compared(scale, guide):
    return lambda out, x: scale * (guide(x) - out).pow(2).mean()
"""

MAIN = """
import torch

from parts import Compared, build, compared


class Run:
    def __init__(self):
        self.place = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.net = build(8).to(self.place)
        self.goal = {given}

    def step(self):
        x = torch.randn(3, 4).to(self.place)
        self.goal{asked}(self.net(x), x).backward()


Run().step()
"""


@pytest.mark.parametrize("asked", ["", ".loss"])
@pytest.mark.parametrize(
    "given",
    [
        "MAKER(0.5, build(16, frozen=True){move})",
        "MAKER(guide=build(16, frozen=True){move}, scale=0.5)",
        "MAKER(0.5, guide=build(16){move})",
    ],
)
def test_what_is_made_in_the_call_moves_there(given: str, asked: str) -> None:
    given = given.replace("MAKER", "Compared" if asked else "compared")
    text, wanted = (
        MAIN.format(given=given.format(move=move), asked=asked) for move in ("", ".to(self.place)")
    )
    files = {"main.py": text, "parts.py": PARTS}
    assert fix_texts(files)[0] == {"main.py": wanted, "parts.py": PARTS}


def test_a_function_that_is_told_the_device_is_not_told_where_its_result_moves_anyway() -> None:
    goals = ["Compared(0.5, build(16))", "Compared(0.1, build(4))"]
    text = MAIN.format(given=goals[0], asked=".loss").replace(
        "\n\n    def step", f"\n        self.other = {goals[1]}\n\n    def step"
    )
    text = text.replace(".backward()", ".backward()\n        self.other.loss(self.net(x), x).backward()")
    fixed = fix_texts({"main.py": text, "parts.py": PARTS})[0]
    assert not clashes(fixed["main.py"], parts=fixed["parts.py"])
    assert "self.net = build(8).to(self.place)" in fixed["main.py"]
    assert "build(16, device=self.place)" in fixed["main.py"]


def test_of_several_calls_none_speaks_for_the_others() -> None:
    given = "Compared(0.5, build(16)) if torch.rand(1) < 2 else Compared(0.1, build(4))"
    files = {"main.py": MAIN.format(given=given, asked=".loss"), "parts.py": PARTS}
    fixed = fix_texts(files)[0]
    assert "Compared(0.5, build(16).to(self.place))" not in fixed["main.py"]


def test_what_moves_in_the_call_already_is_left_alone() -> None:
    given = "Compared(0.5, build(16).to(self.place))"
    files = {"main.py": MAIN.format(given=given, asked=".loss"), "parts.py": PARTS}
    assert fix_texts(files)[0] == files
    assert not clashes(files["main.py"], parts=PARTS)
