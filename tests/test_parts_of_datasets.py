"""A part of a data set knows the whole: ``Subset(data, rows).dataset``, and what ``random_split`` gives."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, Subset, TensorDataset, random_split

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Points(Dataset):
    def __init__(self):
        self.tensors = torch.randn(64, 4), torch.randn(64)
        self.host = self.tensors[0]
        self.there = self.host.to(device)

    def __len__(self):
        return len(self.host)

    def __getitem__(self, number):
        return self.tensors[0][number], self.tensors[1][number]


def parted(data):
    train, test = random_split(data, [48, 16])
    return train


class Wrapped(Dataset):
    def __init__(self, dataset):
        self.dataset = dataset

    def __getitem__(self, number):
        return self.dataset[number]


net = nn.Linear(4, 2).to(device)
"""
MADE = ["Subset({}, range(48))", "random_split({}, [48, 16])[0]", "parted({})", "Subset({}, range(64))"]


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("whole", ["Points()", "TensorDataset(torch.randn(64, 4), torch.randn(64))"])
def test_the_tensors_of_the_whole_are_where_they_were_made(made: str, whole: str) -> None:
    head = f"{PROGRAM}part = {made.format(whole)}\nloader = DataLoader(part, batch_size=4)\n"
    assert len(clashes(f"{head}net(loader.dataset.dataset.tensors[0])\n")) == 1
    assert len(clashes(f"{head}net(part.dataset.tensors[0][part.indices])\n")) == 1
    assert not clashes(f"{head}net(loader.dataset.dataset.tensors[0].to(device))\n")


@pytest.mark.parametrize("made", MADE)
def test_attributes_of_a_class_are_found_through_its_part(made: str) -> None:
    head = f"{PROGRAM}part = {made.format('Points()')}\n"
    assert len(clashes(f"{head}net(part.dataset.host)\n")) == 1
    assert not clashes(f"{head}net(part.dataset.there)\n")
    assert not clashes(f"{head}net(part.dataset.there[part.indices])\n")


def test_an_attribute_of_the_same_name_is_what_the_class_says() -> None:
    head = f"{PROGRAM}whole = Wrapped(TensorDataset(torch.randn(64, 4, device=device)))\n"
    assert not clashes(f"{head}net(whole.dataset.tensors[0])\n")
    assert not clashes(f"{head}net(Subset(whole, [0, 1]).dataset.dataset.tensors[0])\n")


def test_of_what_is_no_data_set_such_an_attribute_is_not_known() -> None:
    text = PROGRAM.replace("class Points(Dataset)", "class Points")
    assert not clashes(f"{text}points = Points()\npoints.learn()\nnet(points.dataset.host)\n")
