"""A list that holds itself makes no array and no tensor, and keeps nobody from looking at the rest of the program."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import numpy as np
import torch

class Keeper:
    def __init__(self):
        self.rows = [1.0]
        self.rows.append(self.rows)
        self.more = []

    def fill(self, count):
        for index in range(count):
            self.more.append(self.more)
            self.more[index] = [self.more, index]

    def read(self):
        return {used}

keeper = Keeper()
keeper.fill(3)
try:
    keeper.read()
except (ValueError, TypeError, RuntimeError, RecursionError):
    pass
print(torch.zeros(3) + torch.zeros(3).cuda())
"""
USES = [
    "np.array({})", "np.asarray({}).max()", "np.stack({})", "np.concatenate({})", "np.zeros(3) + {}", "np.full(2, {})",
    "torch.tensor({})", "torch.as_tensor({}, device='cuda')", "torch.FloatTensor({})", "torch.stack({})", "torch.cat({})",
    "torch.full((2,), {})", "sum({})", "max({})", "sorted({})", "str({})", "list({})", "np.argmax({})", "torch.zeros({})",
]  # fmt: skip


@pytest.mark.parametrize("kept", ["keeper.rows", "keeper.more", "(keeper.rows, 1)"])
@pytest.mark.parametrize("use", USES)
def test_the_rest_of_the_program_is_judged(use: str, kept: str) -> None:
    assert len(clashes(PROGRAM.replace("{used}", use.format(kept)))) == 1
