"""What is made on the CPU in place of a tensor, where a test comes out otherwise, moves along with it."""

from __future__ import annotations

import pytest
from text_program import fix_texts

PROGRAM = """import sys
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 4).to(device)


def run(flag, x):
{body}
    return model(z)


run(sys.argv[1] == "noise", torch.ones(8, 4, device=device))
"""

ZEROS, DRAWN = "torch.zeros(8, 4)", "torch.randn(8, 4)"
ZEROS_THERE, DRAWN_THERE = "torch.zeros(8, 4, device=device)", "torch.randn(8, 4).to(device)"


def choice(one: str, other: str) -> str:
    return f"    z = {one} if flag else {other}"


def branches(one: str, other: str) -> str:
    return f"    if flag:\n        z = {one}\n    else:\n        z = {other}"


def fixed(body: str) -> str:
    text = PROGRAM.format(body=body)
    return fix_texts({"main.py": text})[0]["main.py"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (choice(ZEROS, DRAWN), choice(ZEROS_THERE, DRAWN_THERE)),
        (choice(DRAWN, ZEROS), choice(DRAWN_THERE, ZEROS_THERE)),
        (branches(ZEROS, DRAWN), branches(ZEROS_THERE, DRAWN_THERE)),
        (branches(DRAWN, ZEROS), branches(DRAWN_THERE, ZEROS_THERE)),
    ],
)
def test_both_are_made_there(before: str, after: str) -> None:
    assert fixed(before) == PROGRAM.format(body=after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (choice("x", "0 * x"), choice("x", "0 * x")),
        (branches(ZEROS_THERE, "x"), branches(ZEROS_THERE, "x")),
        # What is used within a branch alone says nothing of what the others make.
        (
            f"    if flag:\n        z = {ZEROS}\n        z = model(z)\n    else:\n        z = {DRAWN}\n    z = x",
            f"    if flag:\n        z = {ZEROS_THERE}\n        z = model(z)\n    else:\n        z = {DRAWN}\n    z = x",
        ),
    ],
)
def test_all_else_stays(before: str, after: str) -> None:
    assert fixed(before) == PROGRAM.format(body=after)
