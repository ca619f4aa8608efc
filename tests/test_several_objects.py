"""A name that stands for one of several objects has what is stored in it; iterators and weights of one's own."""

from __future__ import annotations

import pytest
from text_program import check_texts, clashes, fix_texts

from devfix.findings import Applicability

LOADERS = """
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

class Points(Dataset):
    def __init__(self, split):
        self.points = torch.randn(8, 3)
    def __len__(self):
        return len(self.points)
    def __getitem__(self, i):
        return {"point": self.points[i], "number": i}

sets = {}
for split in ("train", "valid"):
    sets[split] = Points(split)
model = nn.Linear(3, 1).cuda()
for split in ("train", "valid"):
    for batch in DataLoader(sets[split], batch_size=2):
        for key, value in batch.items():
            if torch.is_tensor(value):
                batch[key] = MOVED
        loss = model(batch["point"]).sum()
"""


def test_an_item_that_is_stored_in_one_of_several_dicts_is_there() -> None:
    assert not check_texts({"main.py": LOADERS.replace("MOVED", "value.cuda()")})


def test_an_item_that_is_left_in_one_of_several_dicts_is_moved() -> None:
    assert check_texts({"main.py": LOADERS.replace("MOVED", "value")})


@pytest.mark.parametrize("head", ["nn.Linear(1, 1).cuda()", "nn.Linear(1, 1)"])
def test_an_attribute_of_one_of_several_objects_is_replaced(head: str) -> None:
    text = f"""
import sys
import torch
from torch import nn

class A(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(1, 1)
    def forward(self, x):
        return self.head(x)

class B(A): pass

net = A() if len(sys.argv) > 1 else B()
net.cuda()
net.head = {head}
net(torch.ones(1, 1).cuda())
"""
    assert bool(check_texts({"main.py": text})) == (not head.endswith("cuda()"))


ONE_SHOT = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

class Turns:
    def __init__(self, loader):
        self.batches = self.endless(loader)
    def __next__(self):
        return next(self.batches)
    @staticmethod
    def endless(loader):
        while True:
            for batch in loader:
                yield batch

turns = Turns(DataLoader(TensorDataset(torch.randn(8, 3)), batch_size=2))
model = nn.Linear(3, 1).cuda()
for step in range(4):
    x, = next(turns)
    model(x)
"""


def test_next_asks_an_object_that_is_no_iterable() -> None:
    fixed = fix_texts({"main.py": ONE_SHOT})[0]["main.py"]
    assert "x = x.to(next(model.parameters()).device)" in fixed
    assert not check_texts({"main.py": fixed})


WEIGHTS_BY_HAND = """
import torch
import torch.nn.functional as F
from torch import nn

model = nn.Linear(3, 1).to("cuda")
weights = dict(model.named_parameters())
x = torch.randn(2, 3).to("cuda", dtype=torch.double)
for step in range(2):
    loss = F.linear(x, weights["weight"], weights["bias"]).sum()
    grads = torch.autograd.grad(loss, weights.values())
    weights = {name: weight - 0.1 * grad for (name, weight), grad in zip(weights.items(), grads)}
"""


def test_a_move_that_casts_casts_to_the_dtype_of_weights_that_were_stepped_by_hand() -> None:
    fixed = fix_texts({"main.py": WEIGHTS_BY_HAND}, Applicability.UNSAFE)[0]["main.py"]
    assert fixed == WEIGHTS_BY_HAND.replace("dtype=torch.double", "dtype=torch.float32")


CHOSEN = """
import argparse
import torch
from torch import nn

class A(nn.Sequential):
    pass

class B(nn.Sequential):
    pass

class C(nn.Sequential):
    pass

class D(nn.Sequential):
    pass

class Solver:
    def __init__(self, kind):
        self.net = None
        self.device = torch.device("cuda")
        if kind == "a":
            self.net = A(nn.Linear(3, 1))
        elif kind == "b":
            self.net = B(nn.Linear(3, 1))
        elif kind == "c":
            self.net = C(nn.Linear(3, 1))
        elif kind == "d":
            self.net = D(nn.Linear(3, 1))
        self.net.to(self.device)

    def train(self, x):
        return self.net(x)

parser = argparse.ArgumentParser()
parser.add_argument("--kind", default="b")
print(Solver(parser.parse_args().kind).train(torch.randn(2, 3)MOVE))
"""


def test_an_attribute_is_none_and_then_one_of_many_networks() -> None:
    assert check_texts({"main.py": CHOSEN.replace("MOVE", "")})
    assert not check_texts({"main.py": CHOSEN.replace("MOVE", ".cuda()")})


STACKED = """
import torch

found = [[], []]
for x in torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(8, 3), torch.ones(8))):
    for i, part in enumerate(x):
        if i == 0:
            part = part.cuda()
        found[i].append(part)
print([torch.stack(found[i]) for i in range(len(found))])
"""


def test_one_of_several_lists_is_stacked_by_itself() -> None:
    assert not check_texts({"main.py": STACKED})
    mixed = STACKED.replace("found[i].append", "found[0].append").replace(
        "stack(found[i])", "stack(found[0])"
    )
    assert check_texts({"main.py": mixed})


COPIED = """
import copy
import sys

import torch
from torch import nn


class A(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 3)

    def forward(self, x):
        return self.a(x)


class B(A):
    pass


if sys.argv[1] == "a":
    net = A(){moved}
else:
    net = B().cuda()
best = copy.deepcopy(net).cuda()
x = torch.randn(3, 3).cuda()
print(best(x), net(x))
"""


def test_a_copy_of_one_of_several_is_not_the_original() -> None:
    assert len(clashes(COPIED.format(moved=""))) == 1
    assert clashes(COPIED.format(moved=".cuda()")) == []
