"""Methods that a module runs on the CPU, as its constructor does, and later on the accelerator."""

from __future__ import annotations

import pytest
from test_adoption import CHOICE, adopted
from text_program import clashes, files, fix_texts

from devfix.findings import Applicability

START = """
import torch
from torch import nn


class Controller(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.bias = nn.Linear(1, size)
        self.reset()

    def reset(self, batch_size=1):
        start = torch.zeros(1, 1)
        self.state = self.bias(start).repeat(batch_size, 1)

    def forward(self, x):
        self.state = self.state + x
        return self.state


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Controller(4).to(device)
for _ in range(3):
    net.reset()
    print(net(torch.ones(1, 4, device=device)).sum().item())
"""


def repaired(text: str) -> str:
    after, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert clashes(after["main.py"]) == []
    return after["main.py"]


def test_what_meets_its_parameters_is_made_where_they_are_each_time() -> None:
    """The device of the script is not yet that of the module when its constructor runs."""
    assert clashes(START) == ["14: device"]
    told = "torch.zeros(1, 1, device=next(self.parameters()).device)"
    assert repaired(START) == START.replace("torch.zeros(1, 1)", told)


def test_where_it_only_runs_on_the_accelerator_the_choice_of_the_script_is_taken() -> None:
    text = START.replace("        self.reset()\n", "")
    assert "parameters()" not in repaired(text).replace("net.parameters()", "")


STATE = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, size):
        super().__init__()
        {first}
        {then}

    def reset(self, batch_size=1):
        self.state = [torch.zeros(batch_size, 4) for _ in range(2)]

    def forward(self, x):
        for state in self.state:
            x = x * state
        return self.layer(x)


net = Net(4)
for _ in range(3):
    net.reset()
    print(net(torch.ones(1, 4)).sum().item())
"""
LAYER, RESET = "self.layer = nn.Linear(size, 1)", "self.reset()"


def test_a_state_that_is_kept_is_made_where_the_module_is() -> None:
    after = adopted(files(STATE.format(first=LAYER, then=RESET)))["main.py"]
    assert "net = Net(4).to(device)" in after
    assert CHOICE in after


@pytest.mark.parametrize(("first", "then"), [(LAYER, RESET), (RESET, LAYER)])
def test_a_state_of_a_module_of_another_file(first: str, then: str) -> None:
    """A module that has no parameters yet cannot be asked where it is."""
    text = STATE.format(first=first, then=then)
    net, _, main = text.partition("\n\nnet = ")
    after = adopted(files(f"import torch\nfrom model import Net\n\nnet = {main}", model=net))
    assert "net = Net(4).to(device)" in after["main.py"]
    assert clashes(after["main.py"], model=after["model.py"]) == []
    assert ("next(self.parameters()).device" in after["model.py"]) == (first == LAYER)


STATES = """
import torch
import torch.nn as nn


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(9, 4)
        self.lstm = nn.LSTM(4, 4, batch_first=True)

    def forward(self, x):
        h = torch.zeros((1, x.size(0), 4))
        c = torch.zeros((1, x.size(0), 4))
        out = self.embedding(x)
        out, (h, c) = self.lstm(out, (h, c))
        return out
"""

READING = """
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset
from model import Reader


class Rows(Dataset):
    def __init__(self, x):
        self.x = x

    def __getitem__(self, index):
        return self.x[index], 1

    def __len__(self):
        return len(self.x)


class Execution:
    def __init__(self):
        self.model = Reader()

    def run(self):
        for x_batch, y_batch in DataLoader(Rows(np.load("rows.npy"))):
            x = x_batch.type(torch.LongTensor)
            print(self.model(x).sum())


Execution().run()
"""


def test_what_a_method_makes_for_its_module_says_so_in_the_same_words() -> None:
    """States that are made alike are made where the input is, which the script moves."""
    after = adopted({"main.py": READING, "model.py": STATES})["model.py"]
    assert after.count("torch.zeros((1, x.size(0), 4), device=x.device)") == 2


HELD = """
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Linear(3, 3)

    def forward(self, x):
        return self.conv(x)


class Held:
    def __init__(self):
        self.net = Net()
        self.place()

    def place(self):
        if torch.cuda.is_available():
            self.net.cuda()

    def run(self, x):
        return self.net(x)

    def generate(self, x):
        return self.net(x)
"""

DRIVEN = """
import torch
from torch.utils.data import DataLoader
from held import Held


class Run:
    def __init__(self):
        self.held = Held()

    def batches(self):
        for batch in DataLoader(torch.ones(4, 3)):
            for x in batch:
                yield x

    def go(self):
        for x in self.batches():
            print(self.held.run(x))


Run().go()
"""


def test_what_meets_a_modules_parameters_moves_to_them_where_other_calls_know_no_device() -> None:
    """Nothing calls ``generate``: on what the object keeps by then nobody knows where the module is."""
    after, _ = fix_texts({"main.py": DRIVEN, "held.py": HELD}, Applicability.UNSAFE)
    assert after["main.py"] == DRIVEN
    assert "self.conv(x.to(next(self.parameters()).device))" in after["held.py"]
    assert not clashes(after["main.py"], held=after["held.py"])
