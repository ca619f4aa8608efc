"""What a batch is taken apart into and a function is given moves within that call, as its neighbours do."""

from __future__ import annotations

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

TEXT = """\
import torch
from torch import nn
from torch.autograd import Variable
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.randn(32, 4), torch.randint(0, 2, (32,))), batch_size=8)
net = nn.Linear(4, 2).cuda()
for number, batch in enumerate(loader):
    x, y = batch
    size = x.size(0)
    x = {x}
    y = {y}
    loss = nn.functional.cross_entropy(net(x), y) / size
    print(loss.item())
"""


def fixed(x: str, y: str, text: str = TEXT) -> str:
    """The program in which the batch is taken on in this way, repaired."""
    return fix_texts({"main.py": text.format(x=x, y=y)}, Applicability.UNSAFE)[0]["main.py"]


@pytest.mark.parametrize("move", [".cuda()", ".cuda(non_blocking=True)"])
def test_it_moves_where_its_neighbour_does(move: str) -> None:
    x, y = "Variable(x.float(){})", "Variable(y{})"
    whole = TEXT.format(x=x.format(move), y=y.format(move))
    assert fixed(x.format(""), y.format(move)) == whole
    assert fixed(x.format(move), y.format("")) == whole
    assert fixed(x.format(move), y.format(move)) == whole


def test_what_a_loop_takes_apart_does_as_well() -> None:
    text = TEXT.replace("for number, batch in enumerate(loader):\n    x, y = batch", "for x, y in loader:")
    assert "x = Variable(x.cuda())" in fixed("Variable(x)", "Variable(y.cuda())", text)


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ("Variable(x)", "Variable(y).cuda()"),
        ("x.float()", "Variable(y.cuda())"),
        ("torch.relu(x)", "Variable(y.cuda())"),
        ("Variable(x[:])", "Variable(torch.ones(8).long().cuda())"),
    ],
)
def test_what_is_taken_on_otherwise_is_no_neighbour(x: str, y: str) -> None:
    after = fixed(x, y)
    assert after != TEXT.format(x=x, y=y)
    assert f"    y = {y}\n" in after
    assert ".cuda())\n    y =" not in after


def test_what_is_read_on_the_host_before_that_moves_there_all_the_same() -> None:
    text = TEXT.replace("size = x.size(0)", "size = x.numpy().shape[0]")
    after = fixed("Variable(x)", "Variable(y.cuda())", text)
    assert after == text.format(x="Variable(x.cuda())", y="Variable(y.cuda())")
