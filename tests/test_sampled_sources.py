"""What goes into a loader's batches stays on the CPU, and moves where it is handed to what keeps something of it."""

from __future__ import annotations

import pytest
from text_program import check_texts, fix_texts

HEAD = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Scaler:
    def fit(self, x):
        self.mean = x.mean(0)

    def __call__(self, x):
        return x - self.mean


class Both:
    def __init__(self, x, y):
        self.middle = torch.cat([x, y], dim=1).mean(1)
        self.high = y.max(0).values

    def __call__(self, y):
        return y / self.high + self.middle.sum()


def make():
    return torch.rand(64, 4) + 1, torch.rand(64, 1)


net = nn.Linear(4, 1).to(device)
x, y = make()
"""

#: Programs that fail on an accelerator, and the lines that change.
PROGRAMS = {
    "a method keeps what it computes": (
        """
scaler = Scaler()
scaler.fit(x)
for bx, by in DataLoader(TensorDataset(x, y), batch_size=16):
    print((net(scaler(bx.to(device))) - by.to(device)).abs().mean().item())
""",
        {"scaler.fit(x.to(device))"},
    ),
    "a constructor is given two that meet in it": (
        """
both = Both(x, y=y)
for bx, by in DataLoader(TensorDataset(x, y), batch_size=16):
    print((net(bx.to(device)) - both(by.to(device))).abs().mean().item())
""",
        {"both = Both(x.to(device), y=y.to(device))"},
    ),
    "a parameter goes into batches": (
        """
def train(x, y):
    scaler = Scaler()
    scaler.fit(x)
    for bx, by in DataLoader(TensorDataset(x, y), batch_size=16):
        print((net(scaler(bx.to(device))) - by.to(device)).abs().mean().item())


train(x, y)
""",
        {"    scaler.fit(x.to(device))"},
    ),
    "a function is handed the whole data as they are": (
        """
def evaluate(net, x, y):
    return (net(x) - y).pow(2).mean().item()


for bx, by in DataLoader(TensorDataset(x, y), batch_size=16):
    print((net(bx.to(device)) - by.to(device)).abs().mean().item())
print(evaluate(net, x, y))
""",
        {"print(evaluate(net, x.to(device), y.to(device)))"},
    ),
}

#: Programs that fail, where the argument is not what moves.
OTHERS = {
    "no batches are made of it": """
scaler = Scaler()
scaler.fit(x)
print(net(scaler(x.to(device))).sum().item())
""",
    "another object keeps of it what stays on the CPU": """
scaler, other = Scaler(), Scaler()
scaler.fit(x)
other.fit(x)
print(other(torch.ones(2, 4)).sum().item())
for bx, by in DataLoader(TensorDataset(x, y), batch_size=16):
    print((net(scaler(bx.to(device))) - by.to(device)).abs().mean().item())
""",
    "the name stands for something else in the loader": """
scaler = Scaler()
scaler.fit(x)
x = torch.rand(64, 4)
for bx, by in DataLoader(TensorDataset(x, y), batch_size=16):
    print((net(scaler(bx.to(device))) - by.to(device)).abs().mean().item())
""",
}

#: Programs that work.
RIGHT = {
    "all data are there from the start": """
x, y = x.to(device), y.to(device)
scaler = Scaler()
scaler.fit(x)
for bx, by in DataLoader(TensorDataset(x, y), batch_size=16):
    print((net(scaler(bx)) - by).abs().mean().item())
""",
    "batches are scaled before they move": """
scaler = Scaler()
scaler.fit(x)
for bx, by in DataLoader(TensorDataset(x, y), batch_size=16):
    print((net(scaler(bx).to(device)) - by.to(device)).abs().mean().item())
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_goes_into_batches_moves_where_it_is_handed_over(name: str) -> None:
    text, lines = PROGRAMS[name]
    fixed = fix_texts({"main.py": HEAD + text})[0]["main.py"]
    assert set(fixed.splitlines()) - set((HEAD + text).splitlines()) == lines


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_handed_over_elsewhere_as_well_does_not_move_there(name: str) -> None:
    fixed = fix_texts({"main.py": HEAD + OTHERS[name]})[0]["main.py"]
    assert fixed != HEAD + OTHERS[name]
    assert ".fit(x.to(device))" not in fixed


@pytest.mark.parametrize("name", RIGHT)
def test_programs_that_work_stay(name: str) -> None:
    assert check_texts({"main.py": HEAD + RIGHT[name]}) == []


def test_a_data_set_stays_whose_three_parts_make_the_statistics_of_a_module() -> None:
    model = """\
import torch
from torch import nn


class Statistics:
    def __init__(self):
        self.mean = None

    def fit(self, data):
        self.mean = data.mean(0, keepdim=True)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(5, 4)
        self.inputs, self.outputs = Statistics(), Statistics()

    def fit(self, a, b, c):
        self.inputs.fit(torch.cat([a, b], dim=-1))
        self.outputs.fit(c - a)

    def loss(self, a, b, c):
        guess = self.net(torch.cat([a, b], dim=-1) - self.inputs.mean)
        return (guess - (c - a - self.outputs.mean)).pow(2).mean()
"""
    main = """\
import torch
from torch.utils.data import DataLoader, TensorDataset

from model import Model


def collect():
    a, b, c = [], [], []
    for _ in range(4):
        a.append(torch.rand(8, 4))
        b.append(torch.rand(8, 1))
        c.append(torch.rand(8, 4))
    return torch.cat(a), torch.cat(b), torch.cat(c)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
a, b, c = collect()
model = Model()
model.fit(a, b, c)
model.to(device)
for batch in DataLoader(TensorDataset(a, b, c), batch_size=8):
    parts = [part.to(device) for part in batch]
    model.loss(*parts).backward()
"""
    fixed = fix_texts({"main.py": main, "model.py": model})[0]
    told = main.replace("model.fit(a, b, c)", "model.fit(a.to(device), b.to(device), c.to(device))")
    assert fixed == {"main.py": told, "model.py": model}
