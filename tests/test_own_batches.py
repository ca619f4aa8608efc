"""Batches of a class that the project makes of a dict: what is moved is of that class, too, and has what others call."""

from __future__ import annotations

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

PROGRAM = """
from collections import UserDict

import torch
from torch.utils.data import DataLoader, Dataset


class Batch({base}):
{making}
    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def rows(self):
        return len(self["feats"])


class Points(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, i):
        return torch.ones(3) * i, i % 2


def collate(items):
    feats, labels = zip(*items)
    return Batch({{"feats": torch.stack(feats), "labels": torch.tensor(labels)}})


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 2).to(device)
result = 0
for b in DataLoader(Points(), batch_size=4, collate_fn=collate):
    loss = torch.nn.functional.cross_entropy(net(b.feats), b.labels)
    result += loss.item() * b.rows()
"""
#: A constructor that is given more than the entries.
_MAKING = """
    def __init__(self, entries, source=None):
        super().__init__(entries)
"""


def fixed(program: str) -> str:
    """The program after all fixes; it runs to its end, on the CPU, as it did."""
    after = fix_texts({"main.py": program}, Applicability.UNSAFE)[0]["main.py"]
    for text in (program, after):
        names: dict[str, object] = {}
        exec(text, names)
        assert names["result"]
    return after


@pytest.mark.parametrize("base", ["UserDict", "dict"])
def test_a_batch_of_an_own_class_stays_one(base: str) -> None:
    assert "b = type(b)({k: v.to(device) for k, v in b.items()})" in fixed(
        PROGRAM.format(base=base, making="")
    )


def test_what_is_not_made_of_entries_alone_is_not_made_anew() -> None:
    program = PROGRAM.format(base="dict", making=_MAKING)
    after = fixed(program)
    assert "net(b.feats.to(device)), b.labels.to(device))" in after
    assert len(after.splitlines()) == len(program.splitlines())


@pytest.mark.parametrize("base", ["UserDict", "dict"])
def test_what_was_given_attributes_is_not_made_anew(base: str) -> None:
    """Else those would be lost."""
    given = '    batch = Batch({{"feats": torch.stack(feats), "labels": torch.tensor(labels)}})\n    batch.size = len(items)\n    return batch\n'
    made = '    return Batch({{"feats": torch.stack(feats), "labels": torch.tensor(labels)}})\n'
    program = PROGRAM.replace(made, given).replace("* b.rows()", "* b.size").format(base=base, making="")
    after = fixed(program)
    assert "type(b)" not in after
    assert "b.feats.to(device)" in after
