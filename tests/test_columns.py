"""Columns of a batch that configuration names: each is a tensor of the loader's, whichever it is."""

from __future__ import annotations

from textwrap import dedent

from text_program import fix_texts

TEXT = """
import argparse
import pickle
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

parser = argparse.ArgumentParser()
parser.add_argument("--columns", default="short")
args = parser.parse_args()
columns = {{"short": ["a", "b"], "long": ["a", "b", "c"]}}[args.columns]


class Rows(Dataset):
    def __init__(self):
        self.rows = [{{"a": np.ones(3, dtype="int64"), "b": np.ones(3, dtype="int64"), "c": pickle.load(open("c"))}}]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(4, 2)

    def forward(self, inputs):
        first, second = inputs[0], inputs[1]
        return self.embedding(first) + self.embedding(second)


device = torch.device("cuda")
net = Net().to(device)
for batch in DataLoader(Rows()):
    inputs = [{column} for name in columns]
    net(inputs)
"""


def lines(column: str) -> set[str]:
    """The lines that the repair of a program writes."""
    before = dedent(TEXT).lstrip("\n").format(column=column)
    return set(fix_texts({"main.py": before})[0]["main.py"].splitlines()) - set(before.splitlines())


def test_columns_that_are_collected_move_where_they_are() -> None:
    assert lines("batch[name]") == {"    inputs = [batch[name].to(device) for name in columns]"}


def test_columns_that_were_moved_are_left_alone() -> None:
    assert lines("batch[name].to(device)") == set()
