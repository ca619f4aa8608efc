"""What a function of another file computes, and an object keeps, moves once when a program is adopted."""

from __future__ import annotations

from test_adoption import adopted
from text_program import files

_TABLES = """
import numpy as np
import torch


def kernel(n):
    near = torch.from_numpy(np.eye(n, dtype=np.float32))
    return near / near.sum(1)
"""
_MODEL = """
import torch


class Smooth(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(4, 3)

    def forward(self, x, mix):
        return mix @ self.fc(x)
"""


_MAIN = """
import torch
from model import Smooth
from tables import kernel


class Field:
    def __init__(self, n):
        self.mix = kernel(n)
        self.x = torch.ones(n, 4)
    OTHER


def train(net, field):
    return net(field.x, field.mix).sum().item()


field = Field(6)
net = Smooth()
print(train(net, field), net(field.x, field.mix).sum().item())
"""
_SAMPLES = """
    def __getitem__(self, i):
        return self.mix[i]
"""


def _adopted(main: str) -> dict[str, str]:
    return adopted(files(main.replace("    OTHER\n", ""), model=_MODEL, tables=_TABLES))


def test_what_several_functions_read_of_an_object_moves_where_the_object_gets_it() -> None:
    after = _adopted(_MAIN)
    assert "        self.mix = kernel(n).to(device)\n" in after["main.py"]
    assert after["main.py"].count("field.mix)") == 2
    assert after["tables.py"] == files(tables=_TABLES)["tables.py"]


def test_what_an_object_gives_samples_of_moves_for_those_who_need_it_there() -> None:
    after = _adopted(_MAIN.replace("    OTHER\n", _SAMPLES))
    assert "        self.mix = kernel(n)\n" in after["main.py"]
    assert after["main.py"].count("field.mix.to(device))") == 2
