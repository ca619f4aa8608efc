"""Arguments of which every use is refused alike are cast once, and what a use makes itself is made as it wants it."""

from __future__ import annotations

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

IDS = '''
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

class Plays(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, i):
        return torch.tensor(np.zeros(3)), torch.tensor(np.ones(3))

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Embedding(3, 2), nn.Embedding(3, 2)

    def forward(self, users, songs):
        """Scores."""
        left = self.one(users) * self.one(songs)
        right = self.two(users) * self.two(songs)
        return left + right{more}

model = Model()
for users, songs in DataLoader(Plays()):
    print(model(users, songs).sum())
'''


def _after(text: str) -> str:
    return fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]


def test_arguments_that_are_indices_everywhere_are_cast_at_the_top() -> None:
    text = IDS.format(more="")
    top = '"""Scores."""\n'
    cast = "        users, songs = users.long(), songs.long()\n"
    assert _after(text) == text.replace(top, top + cast)


@pytest.mark.parametrize("more", [" * users", " + (0 if users is None else 1)"])
def test_one_that_is_used_otherwise_is_cast_where_it_is_an_index(more: str) -> None:
    text = IDS.format(more=more)
    top = '"""Scores."""\n'
    expected = text.replace(top, f"{top}        songs = songs.long()\n")
    assert _after(text) == expected.replace("self.one(users)", "self.one(users.long())").replace(
        "self.two(users)", "self.two(users.long())"
    )


COUNTS = """
import torch

def confusion(pred, truth):
    counts = torch.zeros(3, 3, dtype=torch.int64)
    counts.index_put_((truth, pred), torch.ones_like(truth), accumulate=True)
    counts /= counts.sum(dim=1, keepdim=True).clamp(min=1)
    return counts

counts = confusion(torch.tensor([0, 1]), torch.tensor([0, 2]))
print(counts.diagonal().mean().item())
"""


@pytest.mark.usefixtures("long_lines")
def test_what_one_cast_makes_needless_is_not_cast() -> None:
    assert _after(COUNTS) == COUNTS.replace("torch.int64", "torch.float32").replace(
        "torch.ones_like(truth)", "torch.ones_like(truth, dtype=torch.float32)"
    )
