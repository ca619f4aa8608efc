"""Batches that reach the model on the CPU, in code that puts the rest where they are."""

from __future__ import annotations

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

NET = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(5, 3)
        self.line = nn.Linear(3, 3)

    def forward(self, data):
        return self.line(data) + self.table({index})


model = Net().to(device)
"""
LOOP = """
for data, target in DataLoader(TensorDataset(torch.randn(8, 5, 3), torch.randn(8, 5, 3))):
{moves}    out = model(data)
    print(nn.functional.mse_loss(out, target))
"""
FOLLOWED = [
    "torch.arange(5).to(data.device)",
    "torch.arange(5, device=data.device)",
    "torch.arange(5).to(data).long()",
]


@pytest.mark.parametrize("index", FOLLOWED)
def test_the_batch_is_moved_and_not_what_follows_it(index: str) -> None:
    target = "    target = target.to(device)\n"
    text = NET.format(index=index) + LOOP.format(moves=target)
    fixed, _ = fix_texts({"train.py": text}, Applicability.UNSAFE)
    expected = NET.format(index=index) + LOOP.format(moves=f"{target}    data = data.to(device)\n")
    assert fixed["train.py"] == expected


@pytest.mark.parametrize("index", FOLLOWED)
def test_nothing_is_done_where_the_batch_is_moved(index: str) -> None:
    text = NET.format(index=index) + LOOP.format(
        moves="    data, target = data.to(device), target.to(device)\n"
    )
    assert fix_texts({"train.py": text}, Applicability.UNSAFE)[0]["train.py"] == text


OWN_LOADER = """
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Sounds(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return np.ones((6, 2)), index


class Loader(DataLoader):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        {collate}


def together(samples):
    lengths = torch.from_numpy(np.array([len(sound) for sound, _ in samples]))
    return torch.stack([torch.from_numpy(sound).float() for sound, _ in samples]), lengths


model = torch.nn.Linear(2, 2).cuda()
for sounds, lengths in Loader(Sounds(){options}):
{moves}    print(model(sounds).sum((1, 2)) / lengths)
"""


@pytest.mark.parametrize(
    ("collate", "options"),
    [
        ("self.collate_fn = together", ", batch_size=2"),
        ("self.kind = 1", ", batch_size=2, collate_fn=together"),
    ],
)
def test_a_class_derived_from_the_loader_makes_batches(collate: str, options: str) -> None:
    def program(moves: str) -> str:
        return OWN_LOADER.format(collate=collate, options=options, moves=moves)

    one, both = "    sounds = sounds.cuda()\n", "    sounds = sounds.cuda()\n    lengths = lengths.cuda()\n"
    assert fix_texts({"train.py": program(one)}, Applicability.UNSAFE)[0]["train.py"] == program(both)
    assert fix_texts({"train.py": program(both)}, Applicability.UNSAFE)[0]["train.py"] == program(both)


def test_a_derived_loader_with_an_iteration_of_its_own_makes_what_it_likes() -> None:
    own = OWN_LOADER.format(
        collate="self.kind = 1\n\n    def __iter__(self):\n        return iter(read())", options="", moves=""
    )
    assert fix_texts({"train.py": own}, Applicability.UNSAFE)[0]["train.py"] == own


def test_the_parts_of_a_long_batch_keep_their_dtypes() -> None:
    text = """
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __init__(self):
        self.wide = torch.from_numpy(np.zeros((4, 3))){cast}
        self.others = torch.zeros(4, 3)

    def __len__(self):
        return 4

    def __getitem__(self, i):
        x = self.others[i]
        return [x, x, x, x, x, x, x, x, self.wide[i], x]


model = torch.nn.Linear(3, 3).cuda()
for batch in DataLoader(Samples()):
    batch = [part.cuda() for part in batch]
    a, b, c, d, e, f, g, h, wide, j = batch
    print(model(wide) + a)
"""
    fixed, _ = fix_texts({"train.py": text.format(cast="")}, Applicability.UNSAFE)
    assert fixed["train.py"] == text.format(cast=".float()")


MASKED = """
import torch
from torch import nn

def mask(x, lengths=None):
    if lengths is None:
        lengths = torch.ones(x.size(0), device=x.device)
    until = (lengths * x.size(1)).unsqueeze(1)
    return torch.arange(x.size(1), device=x.device).unsqueeze(0) < until

class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(1))

    def forward(self, x, lengths=None):
        if lengths is None:
            lengths = torch.ones(len(x))
        return (x - self.mean) * mask(x, lengths)
"""


def test_what_is_compared_comes_to_the_device_that_the_other_was_made_on() -> None:
    """Not the other way round: what is multiplied with the mask afterwards is on the accelerator."""
    after, _ = fix_texts({"main.py": MASKED})
    assert after["main.py"] == MASKED.replace("< until", "< until.to(x.device)")
    assert fix_texts(after)[0] == after
