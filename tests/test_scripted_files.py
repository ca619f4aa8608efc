"""Scripted models are where ``torch.jit.load`` is told, or where nobody knows."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

PROGRAM = """
import sys
import torch

device = torch.device("cuda")
x = torch.ones(2, 3{there})
model = torch.jit.load(sys.argv[1]{told}){moved}
out = model({given})
"""


def _program(told: str = "", *, there: bool = False, moved: str = "", given: str = "x") -> str:
    return PROGRAM.format(there=", device=device" if there else "", told=told, moved=moved, given=given)


@pytest.mark.parametrize(
    ("told", "moved"),
    [
        (", map_location=device", ""),
        (", device", ""),
        ("", ".to(device)"),
        (', map_location="cpu"', ".cuda()"),
    ],
)
def test_what_a_model_on_an_accelerator_is_given_is_there(told: str, moved: str) -> None:
    fixed = fix_texts({"main.py": _program(told, moved=moved)})[0]["main.py"]
    assert fixed == _program(told, there=True, moved=moved)
    assert clashes(fixed) == []


def test_a_model_on_the_host_comes_to_what_it_is_given() -> None:
    told = ', map_location="cpu"'
    fixed = fix_texts({"main.py": _program(told, there=True)})[0]["main.py"]
    assert fixed == _program(told, there=True, moved=".to(device)")


@pytest.mark.parametrize(
    "text",
    [
        _program(),
        _program(there=True),
        _program(", map_location=None", there=True),
        # Lengths may be read on the host.
        _program(", map_location=device", there=True, given="x, torch.tensor([3, 3])"),
    ],
)
def test_what_may_be_right_stays(text: str) -> None:
    assert clashes(text) == []
