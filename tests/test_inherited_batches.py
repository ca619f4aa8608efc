"""Classes of the project that make their own iterator of what ``DataLoader`` gives them."""

from __future__ import annotations

import pytest
from text_program import clashes

LOADER = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

class Loader(DataLoader):
    {methods}

data = TensorDataset(torch.zeros(4, 3), torch.zeros(4))
model = nn.Linear(3, 3).cuda()
for x, y in Loader(data, batch_size=2):
    model(x)
"""
REPEATED = """
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.iterator = super().__iter__()

    def __iter__(self):
        for _ in range(len(self)):
            yield next(self.iterator)
"""
PASSED_ON = """
    def __iter__(self):
        for x, y in super().__iter__():
            yield x{move}, y
"""
RETURNED = """
    def __iter__(self):
        print(len(self.dataset))
        return super().__iter__()
"""


@pytest.mark.parametrize("methods", [REPEATED, PASSED_ON.format(move=""), RETURNED])
def test_the_batches_of_the_base_are_on_the_cpu(methods: str) -> None:
    assert clashes(LOADER.format(methods=methods.strip()))


def test_a_loader_that_moves_what_its_base_makes_gives_moved_batches() -> None:
    assert not clashes(LOADER.format(methods=PASSED_ON.format(move=".cuda()").strip()))
