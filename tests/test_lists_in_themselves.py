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


LOADED = """
import torch
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda")

class Data(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, i):
        sample = {{"x": torch.ones(3), "rows": []}}
        sample["rows"].append({sample})
        return sample

def collate(samples):
    batch = {{"x": torch.stack([each["x"] for each in samples]), "rows": []}}
    batch["rows"].append({batch})
    return batch

for batch in DataLoader(Data(), batch_size={size}, collate_fn={collate}):
    batch["x"] + torch.ones(3, device=device)
"""


@pytest.mark.parametrize(("size", "collate"), [(2, "None"), (2, "collate"), ("None", "None")])
@pytest.mark.parametrize("held", ["sample", "(sample, 1)", "[sample]"])
def test_so_is_what_a_loader_gives(size: object, collate: str, held: str) -> None:
    batch = held.replace("sample", "batch")
    found = clashes(LOADED.format(sample=held, batch=batch, size=size, collate=collate))
    assert [each.partition(": ")[2] for each in found] == ["device"]
