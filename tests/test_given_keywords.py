"""Calls that unpack keywords: what these give is not given again."""

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

DEVICES = """
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
options = {options}
net = torch.nn.Linear(3, 3).to(device)
x = torch.zeros(2, 3, **options)
print(net(x).sum())
"""
DTYPES = """
import torch

options = {options}
net = torch.nn.Linear(3, 3)
x = torch.zeros(2, 3, **options)
print(net(x).sum())
"""


@pytest.mark.parametrize("options", ['{"device": "cpu"}', 'dict(device="cpu")', '{"dtype": torch.float32}'])
def test_what_is_made_moves_behind_the_call(options: str) -> None:
    text = DEVICES.format(options=options)
    assert clashes(text) == ["8: device"]
    fixed, _ = fix_texts({"main.py": text})
    assert "x = torch.zeros(2, 3, **options).to(device)" in fixed["main.py"]


def test_what_is_made_is_cast_behind_the_call() -> None:
    text = DTYPES.format(options='{"dtype": torch.float64}')
    assert clashes(text) == ["7: dtype"]
    fixed, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert "**options, dtype" not in fixed["main.py"]
    assert clashes(fixed["main.py"]) == []


@pytest.mark.parametrize("options", ['{"device": device}', "dict(device=device)"])
def test_what_is_given_the_device(options: str) -> None:
    assert clashes(DEVICES.format(options=options)) == []
