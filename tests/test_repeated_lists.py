"""``[0] * n``: a list, also where ``n`` is a tensor."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import torch

def targets(length, rest):
    made = torch.tensor({list} + rest.tolist())
    return torch.stack([made, torch.ones(5).long()])

device = torch.device("cuda")
print(targets(torch.tensor(2).to(device), torch.ones(3).to(device)))
"""


@pytest.mark.parametrize("repeated", ["[0] * length", "[0] * (1 + length)", "[0] * 2"])
def test_what_is_made_of_a_repeated_list_is_on_the_cpu(repeated: str) -> None:
    assert not clashes(PROGRAM.format(list=repeated))


def test_what_is_made_of_it_meets_the_accelerator() -> None:
    found = clashes("""
import torch

length = torch.tensor(2).to("cuda")
print(torch.tensor([0] * length) + torch.ones(2).to("cuda"))
""")
    assert found == ["5: device"]
