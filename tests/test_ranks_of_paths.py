"""A tensor on the CPU that is a number on one path, which an accelerator takes, and has dimensions on another."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

PROGRAM = """
import sys
import torch
from torch import nn

class Scaled(nn.Module):
    def __init__(self, space):
        super().__init__()
        self.lin = nn.Linear(3, 2)
        if {test}:
            self.scale = {one}
        else:
            self.scale = {other}

    def forward(self, x):
        return self.lin(x) * self.scale

net = Scaled(eval(sys.argv[1])).cuda()
print(net(torch.ones(4, 3).cuda()).sum())
"""


@pytest.mark.parametrize("test", ["space is None", "not space"])
@pytest.mark.parametrize("other", ["torch.FloatTensor(space)", "torch.ones(2)", "torch.tensor([space, 1.0])"])
def test_it_meets_the_accelerator_where_it_has_dimensions(test: str, other: str) -> None:
    number, vector = "torch.tensor(1.0)", other
    for one, two in ((number, vector), (vector, number)):
        text = PROGRAM.format(test=test, one=one, other=two)
        assert clashes(text) == ["16: device"]
        after = fix_texts({"main.py": text})[0]["main.py"]
        assert f'register_buffer("scale", {vector}' in after
        assert clashes(after) == []


@pytest.mark.parametrize("other", ["torch.tensor(2.0)", "torch.tensor(space)", "torch.ones(2).sum()"])
def test_where_it_may_be_a_number_on_all_of_them_nothing_is_said(other: str) -> None:
    assert clashes(PROGRAM.format(test="space is None", one="torch.tensor(1.0)", other=other)) == []


def test_what_one_path_has_on_the_accelerator_is_not_known() -> None:
    text = PROGRAM.format(test="space is None", one="torch.tensor(1.0)", other="torch.ones(2).cuda()")
    assert clashes(text) == []
