"""Helpers that make data for all who call them, in a program that has just been given its device."""

from __future__ import annotations

from test_adoption import adopted
from text_program import files

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
