"""What stands on the command line is what a user says: a device where it is called one."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

PROGRAM = """
import sys
import torch

{chosen}
model = torch.nn.Linear(3, 3).to({device})
x = torch.ones(2, 3)
print(model(x))
"""


@pytest.mark.parametrize("chosen", ["device = sys.argv[1]", "device = torch.device(sys.argv[1])"])
def test_a_device_that_a_user_names_is_the_accelerator(chosen: str) -> None:
    text = PROGRAM.format(chosen=chosen, device="device")
    assert clashes(text) == ["8: device"]
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert after == text.replace("torch.ones(2, 3)", "torch.ones(2, 3, device=device)")


def test_the_function_that_is_given_it_says_so_as_well() -> None:
    text = """
import sys
import torch

def main(device):
    model = torch.nn.Linear(3, 3).to(device)
    x = torch.ones(2, 3)
    print(model(x))

main(sys.argv[1])
"""
    assert clashes(text) == ["8: device"]


@pytest.mark.parametrize(
    "chosen", ["kind = sys.argv[1]", "kind = sys.argv[1:]", "kind = getattr(torch, sys.argv[1])"]
)
def test_what_is_called_otherwise_may_be_anything(chosen: str) -> None:
    assert clashes(PROGRAM.format(chosen=chosen, device="kind")) == []


@pytest.mark.parametrize("number", ["int(sys.argv[1])", "float(sys.argv[2])", "len(sys.argv)"])
def test_numbers_stay_numbers(number: str) -> None:
    assert (
        clashes(f"import sys\nimport torch\n\nprint(torch.ones({number}, 3).cuda() * int({number}))\n") == []
    )
