"""Helpers that make data for all who call them."""

from __future__ import annotations

from test_adoption import adopted
from text_program import files, fix_texts

HELPER = """
import numpy as np
import torch

net = torch.nn.Linear(3, 1)


def to_torch(x):
    return torch.Tensor(x)


def step(x, y):
    x = to_torch(x)
    y = to_torch(y)
    return ((net(x) - y) ** 2).mean()


rows = np.ones((4, 3))
print(step(rows, np.ones((4, 1))).item())
"""
THIRD = "third = to_torch(rows)\nprint(net(third).sum().item())\n"
ON_HOST = "kept = to_torch(rows)\nprint(np.median(kept))\n"


def moved(text: str) -> list[str]:
    """The lines that move something, of a program that is given a device."""
    return [line for line in adopted(files(text))["main.py"].splitlines() if ".to(device)" in line]


def test_what_is_made_for_three_callers_moves_where_it_is_made() -> None:
    assert moved(HELPER + THIRD) == [
        "net = torch.nn.Linear(3, 1).to(device)",
        "    return torch.Tensor(x).to(device)",
    ]


def test_for_two_it_moves_where_it_gets_its_name() -> None:
    assert moved(HELPER)[1:] == ["    x = to_torch(x).to(device)", "    y = to_torch(y).to(device)"]


def test_where_one_of_the_callers_needs_it_on_the_host_each_moves_its_own() -> None:
    after = moved(HELPER + THIRD + ON_HOST)
    assert "    return torch.Tensor(x).to(device)" not in after
    assert len(after) == 4


TRAINER = """
import torch


class Trainer:
    def __init__(self):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.cell = torch.nn.RNNCell(2, 4).to(self.device)

    def reset(self):
        h = torch.zeros(3, 4, requires_grad=True)
        x = torch.zeros(3, 2).uniform_(-1, 1){placed}
        return h, x

    def train(self):
        h, x = self.reset()
        self.cell({x}, h).sum().backward()

    def test(self):
        h, x = self.reset()
        print(self.cell({x}, h).sum().item())


trainer = Trainer()
trainer.train()
trainer.test()
"""
PLACED = TRAINER.format(placed=".to(self.device)", x="x")
METER = """
class Meter:
    def __init__(self):
        self.reset()

    def reset(self):
        self.total = 0


meter = Meter()
"""
HEIR = """
class Heir(Trainer):
    def reset(self):
        return super().reset()
"""
ONCE = "        h = torch.zeros(3, 4, requires_grad=True, device=self.device)"
APART = "        h = h.to(self.device)"


def told(text: str) -> list[str]:
    """The lines that are new in a program that fails on the accelerator, once it is mended."""
    after = fix_texts(files(text))[0]["main.py"].splitlines()
    return [line for line in after if line not in text.splitlines()]


def test_what_is_given_back_beside_what_is_placed_is_made_there() -> None:
    assert told(PLACED) == [ONCE]


def test_where_nothing_beside_it_is_placed_each_caller_moves_it() -> None:
    assert told(TRAINER.format(placed="", x="x.to(self.device)")) == [APART, APART]


def test_a_class_of_another_kind_may_have_a_method_of_that_name() -> None:
    assert told(PLACED + METER) == [ONCE]


def test_a_class_that_derives_from_it_may_make_something_else() -> None:
    assert told(PLACED + HEIR) == [APART, APART]


def test_an_object_of_which_nothing_is_known_may_be_either() -> None:
    assert told(PLACED + METER + "\nfor each in (meter, trainer):\n    print(each.reset())\n") == [
        APART,
        APART,
    ]


def test_one_caller_that_needs_it_on_the_host_keeps_it_there() -> None:
    assert told(PLACED + "\nprint(trainer.reset()[0].detach().numpy())\n") == [APART, APART]
