"""``lru_cache`` and ``cache`` as functions: what they make of a function is called as it is."""

from __future__ import annotations

import pytest
from text_program import clashes

TABLE = """
import functools
from functools import cache, lru_cache
import torch

KNOWN = {{}}

def known(function):
    KNOWN[function.__name__] = {remembered}
    return function

@known
def cosine(steps):
    return torch.linspace(0, 1, steps).cos()

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(3, device=device)
print(x * KNOWN["cosine"](3){moved})
"""
FORMS = [
    "lru_cache(maxsize=None)(function)",
    "functools.lru_cache(8)(function)",
    "lru_cache(function)",
    "cache(function)",
]


@pytest.mark.parametrize("form", FORMS)
def test_what_a_remembered_function_makes_is_where_it_makes_it(form: str) -> None:
    assert clashes(TABLE.format(remembered=form, moved="")) == ["18: device"]
    assert not clashes(TABLE.format(remembered=form, moved=".to(device)"))


def test_a_method_remembers_for_its_object() -> None:
    text = """
import functools
import torch

class Grid:
    def __init__(self, device):
        self.device = device
        self.at = functools.lru_cache(maxsize=4)(self.make)

    def make(self, n):
        return torch.ones(n, device=self.device)

grid = Grid("cuda")
torch.zeros(3, device="cuda") + grid.at(3)
torch.zeros(3) + grid.at(3)
"""
    assert clashes(text) == ["15: device"]
