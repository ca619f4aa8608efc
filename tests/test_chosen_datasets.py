"""Loaders of a data set that a function chooses, which gives None where nothing fits."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import sys
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset
from torchvision import datasets, transforms

class Own(Dataset):
    def __init__(self, n):
        self.n = n
    def __len__(self):
        return self.n
    def __getitem__(self, i):
        return torch.ones(3, 8, 8), i

class Other(Own):
    def __getitem__(self, i):
        return {item}, i

def chosen(name):
    if name == "one":
        return {one}
    elif name == "two":
        return {two}

net = nn.Conv2d(3, 4, 3).cuda()
for x, y in DataLoader(chosen(sys.argv[1]), batch_size=2):
    print(net({x}).sum())
"""
CIFAR = 'datasets.CIFAR10(".", transform=transforms.ToTensor())'
FOLDER = 'datasets.ImageFolder("images", transforms.ToTensor())'


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (CIFAR, FOLDER),
        ("Own(4)", "Other(5)"),
        ("TensorDataset(torch.ones(4, 3, 8, 8), torch.ones(4))", CIFAR),
    ],
)
def test_batches_are_on_the_host_whichever_is_chosen(one: str, two: str) -> None:
    text = PROGRAM.format(one=one, two=two, item="torch.zeros(3, 8, 8)", x="{x}")
    assert len(clashes(text.format(x="x"))) == 1
    assert clashes(text.format(x="x.cuda()")) == []


def test_where_one_of_them_may_be_elsewhere_nothing_is_said() -> None:
    text = PROGRAM.format(one="Own(4)", two="Other(5)", item="torch.zeros(3, 8, 8).cuda()", x="x")
    assert clashes(text) == []
    assert (
        clashes(
            text.replace("Own(4)", "unknown()").replace(
                "import sys", "import sys\nfrom elsewhere import unknown"
            )
        )
        == []
    )
