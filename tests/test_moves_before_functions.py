"""What a function is given was moved before: the model that meets what it returns moves in the same way."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

PROGRAM = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, device=None):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3, 3))

    def predict(self, x):
        straight = x / x.norm()
        return torch.mm(straight, self.weight.T)


def changed(x):
    copied = {made}
    return copied


net = Net()
x = torch.ones(2, 3)
x = x{move}
given = changed(x)
print(net.predict(given))
"""


@pytest.mark.parametrize("made", ["x.clone()", "x + 1", "torch.cat([x, x])"])
def test_the_model_moves_as_what_the_function_was_given(made: str) -> None:
    text = PROGRAM.format(made=made, move=".cuda()")
    assert fix_texts({"main.py": text})[0]["main.py"] == text.replace("Net()\n", "Net()\nnet.cuda()\n")


def test_what_the_function_makes_itself_is_moved_where_it_is_made() -> None:
    text = PROGRAM.format(made="torch.ones(2, 3)", move=".cuda()").replace("Net()\n", "Net()\nnet.cuda()\n")
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert "net.cuda()" in after
    assert "weight.T.to(" not in after


@pytest.mark.parametrize("made", ["x.clone()", "x + 1"])
def test_where_both_stay_or_both_go_nothing_is_touched(made: str) -> None:
    assert clashes(PROGRAM.format(made=made, move=".float()")) == []
    moved = PROGRAM.format(made=made, move=".cuda()").replace("Net()\n", "Net()\nnet.cuda()\n")
    assert clashes(moved) == []
