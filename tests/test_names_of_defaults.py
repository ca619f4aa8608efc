"""A device that is nothing but the default of an option has the option's name where something moves."""

from __future__ import annotations

import pytest
from text_program import fix_texts

PROGRAM = """
import argparse

import torch

DEVICE = "cuda:0"
parser = argparse.ArgumentParser()
parser.add_argument("--device", default=DEVICE, type=str)
args = parser.parse_args()
if not torch.cuda.is_available():
    args.device = "cpu"
{used}
model = torch.nn.Linear(3, 1)
x = torch.rand(4, 3).to({moved})
print(model(x).sum())
"""


@pytest.mark.parametrize(
    ("used", "moved", "device"),
    [
        ("print(args)", "args.device", "args.device"),
        ("weight = torch.ones(3).to(DEVICE)", "DEVICE", "DEVICE"),
    ],
)
def test_a_default_that_nothing_else_asks_for_is_the_options(used: str, moved: str, device: str) -> None:
    text = PROGRAM.format(used=used, moved=moved)
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert after == text.replace("Linear(3, 1)\n", f"Linear(3, 1).to({device})\n")
