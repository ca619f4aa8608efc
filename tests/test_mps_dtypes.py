"""Where a program chooses a dtype by whether the device is MPS, the dtypes that it hands around fit it."""

from __future__ import annotations

import pytest
from text_program import clashes

CHOICE = """
import torch

if torch.cuda.is_available():
    device = torch.device("cuda")
elif torch.backends.mps.is_available():
    device = torch.device("mps")
else:
    device = torch.device("cpu")
"""
GUARDS = [
    'wide = torch.float32 if device.type == "mps" else torch.float64\n',
    'wide = torch.double if device.type != "mps" else torch.float\n',
    'if device.type == "mps":\n    wide = torch.float32\nelse:\n    wide = torch.float64\n',
]


@pytest.mark.parametrize("guard", GUARDS)
def test_a_dtype_that_was_chosen_for_the_device_fits_it(guard: str) -> None:
    assert not clashes(CHOICE + guard + "x = torch.zeros(3, dtype=wide, device=device)\n")


@pytest.mark.parametrize("guard", GUARDS)
def test_a_dtype_that_is_spelt_out_was_not_chosen(guard: str) -> None:
    assert clashes(CHOICE + guard + "x = torch.zeros(3, dtype=torch.float64, device=device)\n")


@pytest.mark.parametrize(
    "setting",
    ["wide = torch.float64\n", 'wide = torch.float64\nif device.type == "mps":\n    print("slow")\n'],
)
def test_a_dtype_that_nobody_chose_is_the_same_everywhere(setting: str) -> None:
    assert clashes(CHOICE + setting + "x = torch.zeros(3, dtype=wide, device=device)\n")
