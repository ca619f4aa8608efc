"""A loop over objects of which one stands for all: each round begins with one that no round has had so far."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import sys
from dataclasses import dataclass
from typing import List

import numpy as np
import torch

@dataclass
class Record:
    reward: float = None

    def move(self, device):
        self.reward = torch.from_numpy(np.asarray(self.reward)).to(device)
        return self

@dataclass
class Records:
    parts: List[Record] = None

    def move(self, device):
        {loop}
        return self

device = "cuda" if torch.cuda.is_available() else "cpu"
records = Records([Record(float(each)) for each in sys.argv])
records.move(device)
{more}
"""


@pytest.mark.parametrize(
    "loop",
    [
        "for part in self.parts:\n            part.move(device)",
        "for number, part in enumerate(self.parts):\n            part.move(device)",
    ],
)
def test_each_is_what_it_was_before_the_loop(loop: str) -> None:
    assert not clashes(PROGRAM.format(loop=loop, more=""))


@pytest.mark.parametrize(
    ("loop", "more"),
    [
        ("for part in self.parts:\n            part.move(device)", "records.move(device)"),
        ("for part in self.parts:\n            part.move(device).move(device)", ""),
        ("for part in self.parts:\n            part.move(device)", "np.asarray(records.parts[0].reward)"),
    ],
)
def test_behind_the_loop_they_are_what_it_made_of_them(loop: str, more: str) -> None:
    assert len(clashes(PROGRAM.format(loop=loop, more=more))) == 1
