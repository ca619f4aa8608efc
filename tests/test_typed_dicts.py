"""Typed dicts: what their classes make is a dict, with what it was given by its names."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

_TEXT = """
import torch
from typing import TypedDict

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Batch(TypedDict, total=False):
    x: torch.Tensor
    y: torch.Tensor


class Named(Batch):
    name: str


Pair = TypedDict("Pair", {{"x": torch.Tensor, "y": torch.Tensor}})
net = torch.nn.Linear(3, 2).to(device)
{code}
"""


@pytest.mark.parametrize(
    "code",
    [
        'batch = Batch(x=torch.ones(2, 3))\nnet(batch["x"])',
        'batch = Batch({"x": torch.ones(2, 3)})\nnet(batch["x"])',
        'batch = Named(name="a", **{"x": torch.ones(2, 3)})\nnet(batch["x"])',
        'batch = Pair(x=torch.ones(2, 3))\nnet(batch.get("x"))',
    ],
)
def test_what_is_in_one_is_known(code: str) -> None:
    assert clashes(_TEXT.format(code=code)) == ["20: device"]


@pytest.mark.parametrize(
    "code",
    [
        'batch = Batch(x=torch.ones(2, 3).to(device), y=torch.ones(2))\nnet(batch["x"])',
        'batch = {k: v.to(device) for k, v in Pair(x=torch.ones(2, 3)).items()}\nnet(batch["x"])',
        'batch = Named(name="a")\nbatch["x"] = torch.ones(2, 3, device=device)\nnet(batch["x"])',
    ],
)
def test_what_was_moved_in_one_stays(code: str) -> None:
    text = _TEXT.format(code=code)
    assert fix_texts({"main.py": text})[0]["main.py"] == text
