"""Classes whose base nobody knows: it may make modules of them, which are moved with their parameters."""

from __future__ import annotations

import pytest
from text_program import clashes

HEAD = """
import torch
from torch import nn
{base}

class Head({name}):
    def __init__(self):
        super().__init__()
        self.kernel = nn.Parameter(torch.ones(3, 4))
        self.table = torch.ones(3, 4)

    def forward(self, x):
        there = torch.zeros(3, 4).cuda()
        return there + self.{part}
"""


@pytest.mark.parametrize(
    ("base", "name"),
    [("from elsewhere import Base", "Base"), ("", "Module"), ("from torch.nn import *", "Module")],
)
def test_parameters_of_what_may_be_a_module_may_have_been_moved(base: str, name: str) -> None:
    assert clashes(HEAD.format(base=base, name=name, part="kernel")) == []
    assert len(clashes(HEAD.format(base=base, name=name, part="table"))) == 1


@pytest.mark.parametrize("base", ["", "class Base: pass"])
def test_those_of_what_is_none_stay_where_they_were_made(base: str) -> None:
    name = "Base" if base else "object"
    assert len(clashes(HEAD.format(base=base, name=name, part="kernel"))) == 1
